//! From the syntax tree to the typed tree: names, types, forms.
