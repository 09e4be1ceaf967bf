//! The walk over a file that puts mutants in.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, Attribute, BinOp, Block, Expr, ExprRepeat, GenericArgument, ImplItemConst, ImplItemFn, ItemConst,
    ItemFn, ItemImpl, ItemMod, ItemStatic, Pat, Signature, TraitItemFn, Type, UnOp, parse_quote,
};

use crate::operators::{constant_results, other_operators};

/// Longer changes are cut in the list.
const LONGEST: usize = 90;

pub struct Rewrite<'a> {
    file: &'a str,
    next: u32,
    functions: Vec<String>,
}

impl<'a> Rewrite<'a> {
    /// Numbers the mutants of a file from `next`.
    pub fn new(file: &'a str, next: u32) -> Rewrite<'a> {
        Rewrite { file, next, functions: Vec::new() }
    }

    /// The first number that is free.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Lists a mutant and gives its number.
    fn mutant(&mut self, span: Span, change: &str) -> Literal {
        let number = self.next;
        self.next += 1;
        let function = self.functions.last().map_or("", String::as_str);
        let change: String = change.replace(['\n', '\t'], " ").chars().take(LONGEST).collect();
        println!("{number}\t{}:{}\t{function}\t{change}", self.file, span.start().line);
        Literal::u32_suffixed(number)
    }

    /// Constants are computed by the compiler, where no mutant can be switched on.
    fn function(&mut self, signature: &Signature, block: &mut Block) {
        if signature.constness.is_some() || block.stmts.is_empty() {
            return;
        }
        self.functions.push(signature.ident.to_string());
        let body =
            block.stmts.iter().map(|statement| statement.to_token_stream().to_string()).collect::<String>();
        visit_mut::visit_block_mut(self, block);
        let mut early = Vec::new();
        for value in constant_results(&signature.output) {
            if value.to_string() == body {
                continue;
            }
            let number = self.mutant(signature.ident.span(), &format!("body: {value}"));
            early.push(quote!(if crate::mutant() == #number { return #value; }));
        }
        let statements = &block.stmts;
        *block = parse_quote!({ #(#early)* #(#statements)* });
        self.functions.pop();
    }

    /// An expression that is `usual`, or something else under each of some mutants.
    fn choice(&mut self, span: Span, usual: TokenStream, others: Vec<(String, TokenStream)>) -> Expr {
        let mut arms = Vec::new();
        for (change, other) in others {
            let number = self.mutant(span, &change);
            arms.push(quote!(#number => #other,));
        }
        parse_quote!((match crate::mutant() { #(#arms)* _ => #usual }))
    }
}

impl VisitMut for Rewrite<'_> {
    fn visit_item_mod_mut(&mut self, module: &mut ItemMod) {
        if !is_test(&module.attrs) {
            visit_mut::visit_item_mod_mut(self, module);
        }
    }

    fn visit_item_impl_mut(&mut self, item: &mut ItemImpl) {
        let of_trait = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
        if of_trait.is_none_or(|last| last.ident != "Debug") {
            visit_mut::visit_item_impl_mut(self, item);
        }
    }

    fn visit_item_fn_mut(&mut self, item: &mut ItemFn) {
        if !is_test(&item.attrs) {
            self.function(&item.sig, &mut item.block);
        }
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut ImplItemFn) {
        if !is_test(&item.attrs) {
            self.function(&item.sig, &mut item.block);
        }
    }

    fn visit_trait_item_fn_mut(&mut self, item: &mut TraitItemFn) {
        if let Some(block) = &mut item.default {
            self.function(&item.sig, block);
        }
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        if let Some((_, guard)) = &mut arm.guard {
            let (span, text) = (guard.span(), guard.to_token_stream().to_string());
            self.visit_expr_mut(guard);
            if !has_let(guard) {
                let others = [true, false].map(|value| (format!("guard {value}: {text}"), quote!(#value)));
                **guard = self.choice(span, guard.to_token_stream(), others.into());
            }
        }
        self.visit_expr_mut(&mut arm.body);
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if matches!(expression, Expr::Const(_)) {
            return;
        }
        let text = expression.to_token_stream().to_string();
        visit_mut::visit_expr_mut(self, expression);
        if self.functions.is_empty() || has_let(expression) {
            return;
        }
        match expression {
            Expr::Binary(binary) => {
                let (left, right, usual) = (&binary.left, &binary.right, &binary.op);
                let others: Vec<_> = other_operators(usual)
                    .into_iter()
                    .map(|other| (change(usual, &other, &text), quote!((#left) #other (#right))))
                    .collect();
                if !others.is_empty() {
                    *expression = self.choice(usual.span(), quote!((#left) #usual (#right)), others);
                }
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) => {
                let (operator, operand) = (&unary.op, &unary.expr);
                let others = vec![(format!("delete: {text}"), quote!(#operand))];
                *expression = self.choice(unary.op.span(), quote!(#operator #operand), others);
            }
            _ => {}
        }
    }

    fn visit_expr_repeat_mut(&mut self, repeat: &mut ExprRepeat) {
        self.visit_expr_mut(&mut repeat.expr);
    }

    fn visit_item_const_mut(&mut self, _: &mut ItemConst) {}
    fn visit_item_static_mut(&mut self, _: &mut ItemStatic) {}
    fn visit_impl_item_const_mut(&mut self, _: &mut ImplItemConst) {}
    fn visit_generic_argument_mut(&mut self, _: &mut GenericArgument) {}
    fn visit_type_mut(&mut self, _: &mut Type) {}
    fn visit_pat_mut(&mut self, _: &mut Pat) {}
    fn visit_attribute_mut(&mut self, _: &mut Attribute) {}
}

fn change(usual: &BinOp, other: &BinOp, text: &str) -> String {
    format!("{} for {}: {text}", other.to_token_stream(), usual.to_token_stream())
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.to_token_stream().to_string().contains("test"))
}

/// Whether a condition binds names, also as a part of a chain.
fn has_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(chain) if matches!(chain.op, BinOp::And(_)) => {
            has_let(&chain.left) || has_let(&chain.right)
        }
        _ => false,
    }
}
