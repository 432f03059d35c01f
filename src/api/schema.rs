//! The protocol as a JSON Schema document, made from the types of this module tree.
//!
//! It is what `herdr api schema --json` prints, in the form herdr 0.9.3 has it: five schemas, each
//! with its own definitions, referred to from the document's root.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::envelope::{ErrorResponse, SuccessResponse};
use super::events::EventEnvelope;
use super::subscription::SubscriptionEventEnvelope;
use super::{PROTOCOL, method};

/// Version of the document's own form.
pub const SCHEMA_VERSION: u32 = 1;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Members that herdr 0.9.3 does not have: definition, variant (for a definition that has some) and
/// member. Each is marked in the document, so that a comparison with herdr's own can tell an
/// addition from a mistake. A definition that only additions refer to needs no mark.
const ADDITIONS: [(&str, Option<&str>, &str); 14] = [
    ("ResponseResult", Some("pong"), "server"),
    ("ResponseResult", Some("pong"), "server_version"),
    ("ResponseResult", Some("pong"), "not_saved"),
    ("PaneInfo", None, "blocked_kind"),
    ("AgentInfo", None, "blocked_kind"),
    ("SessionSnapshot", None, "agent_view"),
    ("AgentWaitParams", None, "interactive_ready"),
    ("PaneSplitParams", None, "grants"),
    ("TabCreateParams", None, "grants"),
    ("WorkspaceCreateParams", None, "grants"),
    ("ServerCapabilities", None, "tracked_executions"),
    ("ServerCapabilities", None, "agent_turn_journal"),
    ("ServerCapabilities", None, "agent_interactions"),
    ("ServerCapabilities", None, "xcsh_semantic_tracking"),
];

/// Answers that herdr 0.9.3 does not have: variants of `ResponseResult`. Each is marked as a whole, as
/// are the methods behind [`method::OF_HERDR`].
const ADDED_ANSWERS: [&str; 10] = [
    "agent_turn",
    "agent_turn_list",
    "agent_turn_action",
    "agent_turn_action_list",
    "execution",
    "execution_list",
    "agent_interaction",
    "agent_interaction_deliveries",
    "agent_interaction_receipt",
    "agent_interaction_list",
];

/// The mark of an addition.
const ADDITION_MARK: &str = "x-drover-addition";

/// The whole document.
pub fn document() -> Value {
    json!({
        "$schema": DIALECT,
        "title": "Herdr API",
        "protocol": PROTOCOL,
        "schema_version": SCHEMA_VERSION,
        "schemas": {
            "request": request(),
            "success_response": described::<SuccessResponse>("success_response", "SuccessResponse"),
            "error_response": described::<ErrorResponse>("error_response", "ErrorResponse"),
            "event": described::<EventEnvelope>("event", "EventEnvelope"),
            "subscription_event": described::<SubscriptionEventEnvelope>(
                "subscription_event",
                "SubscriptionEventEnvelope",
            ),
        },
    })
}

/// A request is one of the methods' forms, and each has an `id` besides.
fn request() -> Value {
    let mut generator = generator("request");
    let forms: Vec<Value> = method::ALL
        .iter()
        .map(|method| {
            let mut form = json!({
                "type": "object",
                "properties": {
                    "method": { "type": "string", "const": method.name },
                    "params": (method.params_schema)(&mut generator),
                },
                "required": ["method", "params"],
            });
            if method.index >= method::OF_HERDR {
                form[ADDITION_MARK] = true.into();
            }
            form
        })
        .collect();
    let mut definitions = generator.take_definitions(true);
    mark_additions(&mut definitions);
    json!({
        "$schema": DIALECT,
        "title": "Request",
        "type": "object",
        "properties": { "id": { "type": "string" } },
        "required": ["id"],
        "oneOf": forms,
        "$defs": definitions,
    })
}

fn described<T: JsonSchema>(section: &str, title: &str) -> Value {
    let mut generator = generator(section);
    let mut root = T::json_schema(&mut generator);
    root.remove("description");
    root.insert("$schema".to_owned(), DIALECT.into());
    root.insert("title".to_owned(), title.into());
    let mut definitions = generator.take_definitions(true);
    mark_additions(&mut definitions);
    mark_added_answers(&mut definitions);
    root.insert("$defs".to_owned(), definitions.into());
    root.to_value()
}

/// A generator whose definitions lie in one section of the document.
fn generator(section: &str) -> SchemaGenerator {
    let definitions = format!("/schemas/{section}/$defs");
    SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = definitions.into())
        // Comments in the code are for its readers, and full of its own names.
        .with_transform(RecursiveTransform(|schema: &mut Schema| {
            schema.remove("description");
        }))
        .into_generator()
}

fn mark_additions(definitions: &mut Map<String, Value>) {
    for (definition, variant, member) in ADDITIONS {
        let Some(definition) = definitions.get_mut(definition) else {
            continue;
        };
        let object = match variant {
            Some(variant) => definition["oneOf"]
                .as_array_mut()
                .and_then(|forms| forms.iter_mut().find(|form| is_variant(form, variant))),
            None => Some(definition),
        };
        if let Some(Value::Object(schema)) =
            object.and_then(|object| object.pointer_mut(&format!("/properties/{member}")))
        {
            schema.insert(ADDITION_MARK.to_owned(), true.into());
        }
    }
}

fn mark_added_answers(definitions: &mut Map<String, Value>) {
    let answers = definitions.get_mut("ResponseResult");
    let forms = answers.and_then(|answers| answers["oneOf"].as_array_mut());
    for form in forms.into_iter().flatten() {
        if ADDED_ANSWERS.iter().any(|name| is_variant(form, name)) {
            form[ADDITION_MARK] = true.into();
        }
    }
}

fn is_variant(form: &Value, variant: &str) -> bool {
    form["properties"]["type"]["const"] == variant
}
