import { builtinModules } from 'node:module';
import { dirname, join, posix, resolve } from 'node:path';
import { Script } from 'node:vm';

/** A store of scripts by path. */
export interface ScriptStore {
  text(path: string): string;
  /** Returns the code cache of a script, or undefined. */
  compiled(path: string): Buffer | undefined;
}

type Require = (name: string) => unknown;
type Wrapped = (
  exports: object,
  require: Require,
  module: { exports: object },
  file: string,
  folder: string,
) => void;

/** The folder of scripts in stack traces; it does not exist. */
const SHOWN_BELOW = resolve('/', 'xpkg-resolve');

/** The prefix of a path that is absolute in the store. */
const INSIDE = 'inside:';

const BUILTIN = new Set(builtinModules);

/** Loads CommonJS modules from a store; only the store and Node.js built-ins are searched. */
export class Scripts {
  /** Loaded scripts by path. */
  readonly loaded = new Map<string, Script>();
  readonly #store: ScriptStore;
  readonly #builtin: Require;
  readonly #modules = new Map<string, { exports: object }>();

  constructor(store: ScriptStore, builtin: Require) {
    this.#store = store;
    this.#builtin = builtin;
  }

  /**
   * Returns the exports of a script. A suffix `?…` makes a separate instance with its own state.
   */
  load(name: string): object {
    const known = this.#modules.get(name);
    if (known !== undefined) return known.exports;
    const [path = ''] = name.split('?');
    const module = { exports: {} };
    this.#modules.set(name, module);
    const file = join(SHOWN_BELOW, path);
    const run = this.#compile(path, file);
    run(module.exports, (wanted) => this.#require(wanted, path), module, file, dirname(file));
    return module.exports;
  }

  #compile(path: string, filename: string): Wrapped {
    const body = this.#store.text(path).replace(/^#!/, '//');
    const text = `(function (exports, require, module, __filename, __dirname) {${body}\n})`;
    const cachedData = this.#store.compiled(path);
    const script = new Script(text, { filename, ...(cachedData && { cachedData }) });
    this.loaded.set(path, script);
    return script.runInThisContext() as Wrapped;
  }

  #require(wanted: string, from: string): unknown {
    if (wanted.startsWith('.')) return this.load(posix.join(posix.dirname(from), wanted));
    if (wanted.startsWith(INSIDE)) return this.load(wanted.slice(INSIDE.length));
    const name = wanted.replace(/^node:/, '');
    // Packages that create a `require` get this one.
    if (name === 'module') {
      return { builtinModules, createRequire: () => (next: string) => this.#require(next, from) };
    }
    if (BUILTIN.has(name) || wanted.startsWith('node:')) return this.#builtin(wanted);
    throw Object.assign(new Error(`\`${wanted}\` is not part of this executable`), {
      code: 'MODULE_NOT_FOUND',
    });
  }
}
