'use strict';
(() => {
  const table = document.getElementById('table');
  const claims = [...table.tBodies].map((body, order) => ({
    body, order, data: body.dataset, toggle: body.querySelector('.toggle'),
    place: body.querySelector('tr.row').cells[1].textContent,
  }));
  const byId = new Map(claims.map((claim) => [claim.body.id, claim]));
  const filters = [...document.querySelectorAll('[data-filter]')];
  const search = document.getElementById('search');
  const count = document.getElementById('count');
  const heads = [...table.tHead.querySelectorAll('button[data-key]')];
  // Orders that people expect; other values come as they occur.
  const ORDER = {
    verdict: ['refuted', 'inconclusive', 'untested', 'confirmed'],
    standing: ['own claim', 'theorem', 'lemma', 'equation', 'remark', 'figure', 'heuristic'],
    form: ['printed', 'corrected'],
    evidence: ['simulated', 'computed'],
  };
  const rank = {};
  for (const select of filters) {
    const key = select.dataset.filter;
    const found = [...new Set(claims.map((claim) => claim.data[key]))];
    const first = (ORDER[key] || []).filter((value) => found.includes(value));
    const values = [...first, ...found.filter((value) => !first.includes(value))];
    rank[key] = new Map(values.map((value, index) => [value, index]));
    for (const value of values) {
      const option = document.createElement('option');
      option.value = option.textContent = value;
      select.append(option);
    }
  }

  const shown = () => claims.filter((claim) => !claim.body.hidden);

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = filters.filter((select) => select.value).map((select) => [select.dataset.filter, select.value]);
    for (const claim of claims) {
      claim.body.hidden = !(wanted.every(([key, value]) => claim.data[key] === value)
        && words.every((word) => claim.data.text.includes(word)));
    }
    const left = shown();
    const of = (verdict) => left.filter((claim) => claim.data.verdict === verdict).length;
    count.textContent = `${left.length} of ${claims.length} claims shown: ${of('confirmed')} confirmed, `
      + `${of('refuted')} refuted, ${of('inconclusive')} inconclusive`;
  }

  const collator = new Intl.Collator('en', {numeric: true});
  function compare(key, a, b) {
    if (key === 'claim') return a.order - b.order;
    if (key === 'paper') {
      return rank.paper.get(a.data.paper) - rank.paper.get(b.data.paper) || collator.compare(a.place, b.place);
    }
    return rank[key].get(a.data[key]) - rank[key].get(b.data[key]);
  }

  function sort(button) {
    const head = button.closest('th');
    const falling = head.getAttribute('aria-sort') === 'ascending';
    for (const other of heads) other.closest('th').setAttribute('aria-sort', 'none');
    head.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
    const sign = falling ? -1 : 1;
    claims.sort((a, b) => sign * compare(button.dataset.key, a, b) || a.order - b.order);
    const all = document.createDocumentFragment();
    for (const claim of claims) all.append(claim.body);
    table.append(all);
  }

  function set(claim, open) {
    claim.body.classList.toggle('opened', open);
    claim.toggle.setAttribute('aria-expanded', String(open));
  }

  const isOpen = (claim) => claim.body.classList.contains('opened');

  function follow() {
    let name = '';
    try { name = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const claim = byId.get(name);
    if (!claim) return;
    if (claim.body.hidden) reset();
    set(claim, true);
    claim.body.scrollIntoView();
    claim.toggle.focus({preventScroll: true});
  }

  function reset() {
    search.value = '';
    for (const select of filters) select.value = '';
    filter();
  }

  for (const select of filters) select.addEventListener('change', filter);
  search.addEventListener('input', filter);
  document.getElementById('filters').addEventListener('submit', (event) => event.preventDefault());
  document.getElementById('reset').addEventListener('click', reset);
  document.getElementById('open-all').addEventListener('click', () => shown().forEach((claim) => set(claim, true)));
  document.getElementById('close-all').addEventListener('click', () => claims.forEach((claim) => set(claim, false)));
  for (const button of heads) button.addEventListener('click', () => sort(button));
  table.addEventListener('click', (event) => {
    const toggle = event.target.closest('.toggle');
    if (!toggle) return;
    const claim = byId.get(toggle.closest('tbody.claim').id);
    set(claim, !isOpen(claim));
  });
  document.addEventListener('click', (event) => {
    // A link to a claim that the address names already changes nothing, so the address tells nobody.
    const link = event.target.closest('a[href^="#c-"]');
    if (link && link.hash === location.hash) setTimeout(follow);
  });
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches('input, select, textarea');
    if (event.key === '/' && !typing) {
      event.preventDefault();
      search.focus();
      return;
    }
    const here = event.target.closest('tbody.claim');
    if (event.key === 'Escape' && here) {
      const claim = byId.get(here.id);
      set(claim, false);
      claim.toggle.focus();
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && event.target.matches('.toggle')) {
      const visible = shown();
      const next = visible[visible.findIndex((claim) => claim.body === here) + (event.key === 'ArrowDown' ? 1 : -1)];
      if (next) {
        event.preventDefault();
        next.toggle.focus();
      }
    }
  });

  const theme = document.getElementById('theme');
  const kept = {
    get() { try { return localStorage.getItem('rmtsim-theme') || ''; } catch { return ''; } },
    set(value) { try { localStorage.setItem('rmtsim-theme', value); } catch { /* a page from a file may have no storage */ } },
  };
  const paint = () => { document.documentElement.dataset.theme = theme.value; };
  theme.value = ['light', 'dark'].includes(kept.get()) ? kept.get() : '';
  theme.addEventListener('change', () => { kept.set(theme.value); paint(); });
  paint();

  filter();
  window.addEventListener('hashchange', follow);
  follow();
})();
