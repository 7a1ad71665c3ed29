//! Searches for certificates and explains their absence.
//!
//! `reason` is the prover: differences and ranges of mathematical integers over SSA values. Each
//! obligation has a file of its own that asks it: `guards` (equal lengths, multiples, contradiction),
//! `cursor` (a computed element), `element` (the map's index and offsets of it), `block` (elements a
//! lane owns), `forms` (one write form a span), `slots` (scratch). A certificate lists the premises a
//! proof needed and no others: `Guard` guards, `Cursor` facts, `Primary` the rule that ties the
//! dispatch to a length, `Interval` or `Const` none. `show` prints expressions for messages, and
//! `groups` says what follows from the group rule, `footprint` what of scratch does not fit.

pub(crate) mod cursor;
pub(crate) mod explain;
pub(crate) mod footprint;
pub(crate) mod forms;
pub(crate) mod groups;
pub(crate) mod guards;
pub(crate) mod reason;
pub(crate) mod show;
pub(crate) mod slots;
pub(crate) mod world;
