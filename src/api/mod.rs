//! The wire: requests, replies, records, events, errors. Pure types; also emits the JSON Schema.
