import type { AnyCommand } from './command.js';

/** What `--help` says of a command, and where to find it. */
interface CommandRow {
  readonly usage: string;
  readonly about: string;
  /** Called only for the command that is asked for, so that start-up does not load the others. */
  readonly load: () => Promise<AnyCommand>;
}

/** Every command, in the order of `--help`: to add one, write its file and a row here. */
export const COMMANDS: readonly CommandRow[] = [
  {
    usage: 'resolve [refs..]',
    about: 'Find one version of every package, and write the lockfile and the bundle',
    load: async () => (await import('./commands/set/resolve-command.js')).resolveCommand,
  },
  {
    usage: 'update [packages..]',
    about: 'Move locked packages, and only what must follow',
    load: async () => (await import('./commands/set/update-command.js')).updateCommand,
  },
  {
    usage: 'verify [refs..]',
    about: 'Hold the lockfile against its sources and against what is asked for',
    load: async () => (await import('./commands/set/verify-command.js')).verifyCommand,
  },
  {
    usage: 'matrix [refs..]',
    about: 'Show which Crossplane releases can run the set, and what blocks the others',
    load: async () => (await import('./commands/set/matrix-command.js')).matrixCommand,
  },
  {
    usage: 'outdated',
    about: 'Show which locked packages have newer versions, within constraints and beyond',
    load: async () => (await import('./commands/set/outdated-command.js')).outdatedCommand,
  },
  {
    usage: 'why <name>',
    about: 'Show how a package, or the owner of a CRD, came to be locked',
    load: async () => (await import('./commands/set/why-command.js')).whyCommand,
  },
  {
    usage: 'tree',
    about: 'Show what is locked as a tree of who requires whom',
    load: async () => (await import('./commands/set/tree-command.js')).treeCommand,
  },
  {
    usage: 'constraint [range] [versions..]',
    about: 'Tell what a range admits on a Crossplane release, and why not',
    load: async () => (await import('./commands/package/constraint-command.js')).constraintCommand,
  },
  {
    usage: 'inspect <package>',
    about: 'Show what a package is, needs and owns on a Crossplane release',
    load: async () => (await import('./commands/package/inspect-command.js')).inspectCommand,
  },
  {
    usage: 'fuzz [refs..]',
    about: 'Look for versions and Crossplane releases with which your set breaks',
    load: async () => (await import('./commands/set/fuzz-command.js')).fuzzCommand,
  },
  {
    usage: 'lint <package>',
    about: 'Check a package as a Crossplane release would, and for what people regret',
    load: async () => (await import('./commands/package/lint-command.js')).lintCommand,
  },
  {
    usage: 'schema <document>',
    about: 'Print the JSON Schema of a document that is read or written',
    load: async () => (await import('./commands/schema-command.js')).schemaCommand,
  },
  {
    usage: 'render',
    about: 'Write the bundle and the Lock again, from the lockfile alone',
    load: async () => (await import('./commands/set/render-command.js')).renderCommand,
  },
  {
    usage: 'index [repositories..]',
    about: 'Write what the sources hold as an index file',
    load: async () => (await import('./commands/supply/index-command.js')).indexCommand,
  },
  {
    usage: 'vendor <folder>',
    about: 'Copy the images of all locked packages into an OCI layout',
    load: async () => (await import('./commands/supply/vendor-command.js')).vendorCommand,
  },
  {
    usage: 'push <reference>',
    about: 'Store lockfile and bundle at a registry, where `oras pull` and --lock find them',
    load: async () => (await import('./commands/supply/push-command.js')).pushCommand,
  },
  {
    usage: 'cache <action>',
    about: 'Tell what was downloaded and kept, where it is, or take it away',
    load: async () => (await import('./commands/supply/cache-command.js')).cacheCommand,
  },
];
