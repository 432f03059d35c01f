//! The rule of a method, as data: what it needs, and which parameter names what it acts on.

/// What a caller must have for a method. Outside every pane is the person, who needs nothing but
/// for [`Needs::Report`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Anyone may.
    Nothing,
    /// The named pane is the caller's own: it speaks for that pane.
    Report,
    /// `read`.
    Read,
    /// `write`.
    Write,
    /// `write`, and what the target is and does allows typing into it.
    Type,
    /// `fan`, and typing into the target is allowed.
    Start,
    /// `admin`, unless it is the caller's own pane or one that it created: closing and sizing.
    OwnOrAdmin,
    /// `admin`.
    Admin,
    /// Only the person outside every pane.
    Person,
}

impl Needs {
    /// Whether a call changes something, so that it is kept in the access log.
    pub const fn acts(self) -> bool {
        !matches!(self, Needs::Nothing | Needs::Read)
    }
}

/// What the text in a parameter names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A pane, in any spelling.
    Pane,
    /// An agent: its pane's present id, or its name.
    Agent,
    /// A tab.
    Tab,
    /// A workspace, or a list of them.
    Workspace,
    /// A plugin.
    Plugin,
}

/// The parameter that names what a method acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The member of the parameters; one that lies deeper is named with dots. When it is absent, the method takes what is focused, which
    /// counts as another's.
    pub field: &'static str,
    /// What it names.
    pub kind: Kind,
}

/// The rule of one method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// What the caller must have.
    pub needs: Needs,
    /// What it acts on; none for the session as a whole.
    pub target: Option<Target>,
    /// No grant is needed where the target is the caller's own pane or one that it created. Only
    /// for methods whose answers and refusals tell nothing of other panes.
    pub own: bool,
}

/// The rules as the method table writes them.
pub mod rules {
    use super::{Access, Kind, Needs, Target};

    const fn target(field: &'static str, kind: Kind) -> Target {
        Target { field, kind }
    }

    /// `pane_id`.
    pub const PANE: Target = target("pane_id", Kind::Pane);
    /// `caller_pane_id` of `pane.current`.
    pub const CALLER: Target = target("caller_pane_id", Kind::Pane);
    /// `target_pane_id`.
    pub const BESIDE: Target = target("target_pane_id", Kind::Pane);
    /// `target` of the `agent.*` methods.
    pub const AGENT: Target = target("target", Kind::Agent);
    /// `tab_id`.
    pub const TAB: Target = target("tab_id", Kind::Tab);
    /// `workspace_id`.
    pub const WORKSPACE: Target = target("workspace_id", Kind::Workspace);
    /// `workspace_ids` of `workspace.move_block`.
    pub const WORKSPACES: Target = target("workspace_ids", Kind::Workspace);
    /// `plugin_id`.
    pub const PLUGIN: Target = target("plugin_id", Kind::Plugin);

    /// The pane of whoever asks, in `agent.interaction.report` and, for whoever answers, in `.respond`.
    pub const ASKING: Target = target("target.owner.pane_id", Kind::Pane);
    /// The same in `agent.interaction.delivery.get`.
    pub const OWNER: Target = target("owner.pane_id", Kind::Pane);
    /// The same in `agent.interaction.delivery.ack`.
    pub const PRODUCER: Target = target("producer.owner.pane_id", Kind::Pane);

    const fn rule(needs: Needs, target: Option<Target>, own: bool) -> Access {
        Access { needs, target, own }
    }

    /// Anyone may.
    pub const ANYONE: Access = rule(Needs::Nothing, None, false);
    /// Sees the whole session.
    pub const READ: Access = rule(Needs::Read, None, false);
    /// Changes what panes there are, or what the person sees.
    pub const ADMIN: Access = rule(Needs::Admin, None, false);
    /// Only the person.
    pub const PERSON: Access = rule(Needs::Person, None, false);
    /// An agent speaks for its own pane.
    pub const REPORT: Access = rule(Needs::Report, Some(PANE), true);
    /// Ends a pane.
    pub const CLOSE: Access = rule(Needs::OwnOrAdmin, Some(PANE), true);
    /// Gives a pane's terminal a size, or takes it from whoever drives it.
    pub const SIZE: Access = rule(Needs::OwnOrAdmin, Some(PANE), true);
    /// Starts an agent in a pane.
    pub const START: Access = rule(Needs::Start, Some(PANE), false);

    /// An agent speaks for its own pane, which is named elsewhere.
    pub const fn report(target: Target) -> Access {
        rule(Needs::Report, Some(target), true)
    }

    /// Sees one thing.
    pub const fn read(target: Target) -> Access {
        rule(Needs::Read, Some(target), false)
    }

    /// Sees one pane and nothing else: no grant is needed for the caller's own.
    pub const fn read_own(target: Target) -> Access {
        rule(Needs::Read, Some(target), true)
    }

    /// Changes something about one thing.
    pub const fn write(target: Target) -> Access {
        rule(Needs::Write, Some(target), false)
    }

    /// Changes something about one pane that concerns no other.
    pub const fn write_own(target: Target) -> Access {
        rule(Needs::Write, Some(target), true)
    }

    /// Types into a pane.
    pub const fn type_into(target: Target) -> Access {
        rule(Needs::Type, Some(target), true)
    }

    /// Changes what panes there are, beginning with this one.
    pub const fn admin(target: Target) -> Access {
        rule(Needs::Admin, Some(target), false)
    }

    /// Only the person, about this one.
    pub const fn person(target: Target) -> Access {
        rule(Needs::Person, Some(target), false)
    }
}
