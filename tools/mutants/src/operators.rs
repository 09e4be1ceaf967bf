//! What a mutant puts in the place of an operator or of a body.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{BinOp, ReturnType, parse_quote};

/// The operators that replace another.
pub fn other_operators(operator: &BinOp) -> Vec<BinOp> {
    match operator {
        BinOp::Lt(_) => vec![parse_quote!(<=), parse_quote!(>)],
        BinOp::Le(_) => vec![parse_quote!(<), parse_quote!(>)],
        BinOp::Gt(_) => vec![parse_quote!(>=), parse_quote!(<)],
        BinOp::Ge(_) => vec![parse_quote!(>), parse_quote!(<)],
        BinOp::Eq(_) => vec![parse_quote!(!=)],
        BinOp::Ne(_) => vec![parse_quote!(==)],
        BinOp::And(_) => vec![parse_quote!(||)],
        BinOp::Or(_) => vec![parse_quote!(&&)],
        BinOp::Add(_) => vec![parse_quote!(-)],
        BinOp::Sub(_) => vec![parse_quote!(+)],
        BinOp::Mul(_) => vec![parse_quote!(+)],
        BinOp::Div(_) => vec![parse_quote!(*)],
        BinOp::Rem(_) => vec![parse_quote!(/)],
        BinOp::AddAssign(_) => vec![parse_quote!(-=)],
        BinOp::SubAssign(_) => vec![parse_quote!(+=)],
        _ => Vec::new(),
    }
}

/// Values that a function of this type may return at once.
pub fn constant_results(output: &ReturnType) -> Vec<TokenStream> {
    let ReturnType::Type(_, result) = output else {
        return vec![quote!(())];
    };
    let name = result.to_token_stream().to_string().replace(' ', "");
    match name.as_str() {
        "bool" => vec![quote!(true), quote!(false)],
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i32" | "i64" | "i128" => {
            vec![quote!(0), quote!(1)]
        }
        "f32" | "f64" => vec![quote!(0.0), quote!(1.0)],
        "Ordering" => vec![quote!(std::cmp::Ordering::Equal)],
        "Result<()>" => vec![quote!(Ok(()))],
        "Result<bool>" => vec![quote!(Ok(true)), quote!(Ok(false))],
        "String" => vec![quote!(String::new())],
        _ if name.starts_with("Option<") => vec![quote!(None)],
        _ if name.starts_with("Vec<") => vec![quote!(Vec::new())],
        _ => Vec::new(),
    }
}
