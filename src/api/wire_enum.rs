//! Enumerations whose values are fixed words, declared with the word beside the variant.

/// Declares such an enumeration.
///
/// Besides serde and schema it gets `ALL` (in declaration order), `as_str`, `Display`
/// and `FromStr`, so that command lines and messages use the same words as the wire.
macro_rules! wire_enum {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident {
            $($(#[$variant_attribute:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
        )]
        pub enum $name {
            $($(#[$variant_attribute])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every value, in the protocol's order.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The word that stands for the value on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)+
                }
            }
        }

        // Not derived: a derived schema would turn a documented word into an alternative of its own.
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": [$($word),+] })
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::api::wire_enum::UnknownWord;

            fn from_str(word: &str) -> Result<$name, Self::Err> {
                match word {
                    $($word => Ok($name::$variant),)+
                    _ => Err($crate::api::wire_enum::UnknownWord),
                }
            }
        }
    };
}

pub(super) use wire_enum;

/// The text is none of the enumeration's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownWord;

impl std::fmt::Display for UnknownWord {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("unknown value")
    }
}

impl std::error::Error for UnknownWord {}
