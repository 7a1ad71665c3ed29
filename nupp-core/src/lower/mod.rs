//! From the typed tree to Source IR; proves each access on the way.
