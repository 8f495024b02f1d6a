"""Free probability: sums, products and corners of free elements, as laws, and the transforms that linearise them."""
