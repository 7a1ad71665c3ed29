//! Shell of the procedural macro; everything it does lives in `nupp-compile`.
//!
//! The facade's `nupp!` calls `expand!` here with its own path in parentheses before the block, so
//! that generated code finds the facade under whatever name the user gave it.

use proc_macro::TokenStream;
use proc_macro2::TokenTree;

/// Expands `(facade path) block`. Not for direct use: call `nupp::nupp!`.
#[proc_macro]
pub fn expand(input: TokenStream) -> TokenStream {
    let mut tokens = proc_macro2::TokenStream::from(input).into_iter();
    let krate = match tokens.next() {
        Some(TokenTree::Group(group)) => group.stream(),
        _ => proc_macro2::TokenStream::new(),
    };
    let source = nupp_compile::driver::block(tokens.collect());
    nupp_compile::driver::expand(&source, &krate).into()
}
