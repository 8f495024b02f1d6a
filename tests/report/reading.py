"""A page as an HTML parser sees it."""

from html.parser import HTMLParser

VOID = {"meta", "input", "br"}
PAGE = "html head meta title style script body header main footer section"
TEXT = "h1 h2 h4 h5 p div b span small code pre em i a"
TABLES = "table thead tbody tr th td ul li dl dt dd details summary kbd sub sup figure figcaption"
FORMS = "form label select option input button svg path polygon polyline line rect circle text"
ALLOWED = {*PAGE.split(), *TEXT.split(), *TABLES.split(), *FORMS.split()}


class Page(HTMLParser):
    """Every tag with its attributes; reports tags that do not close in order, or are not the page's own."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.scripts, self.words, self.faults = [], [], [], []
        self._open = []
        self.feed(text)
        self.close()
        self.faults += [f"not closed: {name}" for name in self._open]

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ALLOWED:
            self.faults.append(f"foreign tag {tag}")
        for name, value in attrs:
            if name.startswith("on") or name in ("style", "src", "srcdoc", "xlink:href"):
                self.faults.append(f"attribute {name}")
            if name == "href" and not (value or "").startswith("#"):
                self.faults.append(f"leads outside: {value}")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"closed out of order: {tag}")

    def handle_data(self, data):
        if self._open and self._open[-1] in ("script", "style"):
            if self._open[-1] == "script":
                self.scripts.append(data)
        else:
            self.words.append(data)

    @property
    def text(self):
        return "".join(self.words)
