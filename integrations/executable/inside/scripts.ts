import { builtinModules } from 'node:module';
import { dirname, join, posix, resolve } from 'node:path';
import { Script } from 'node:vm';

/** Where scripts are kept, by their path. */
export interface ScriptStore {
  text(path: string): string;
  /** What V8 made of a script before; undefined: nothing is kept. */
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

/** Scripts show up in stack traces below here; there is no such folder. */
const SHOWN_BELOW = resolve('/', 'xpkg-resolve');

/** Before a path that is from the top, wherever the script is that asks. */
const INSIDE = 'inside:';

const BUILTIN = new Set(builtinModules);

/** CommonJS over scripts of a store: what is neither in it nor part of Node is never looked for. */
export class Scripts {
  /** Of what was loaded, by path. */
  readonly loaded = new Map<string, Script>();
  readonly #store: ScriptStore;
  readonly #builtin: Require;
  readonly #modules = new Map<string, { exports: object }>();

  constructor(store: ScriptStore, builtin: Require) {
    this.#store = store;
    this.#builtin = builtin;
  }

  /** What a script exports. `?…` behind a path makes it one of its own, which has a state of its own. */
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
    // Packages that make themselves a `require` get this one.
    if (name === 'module') {
      return { builtinModules, createRequire: () => (next: string) => this.#require(next, from) };
    }
    if (BUILTIN.has(name) || wanted.startsWith('node:')) return this.#builtin(wanted);
    throw Object.assign(new Error(`\`${wanted}\` is not part of this executable`), {
      code: 'MODULE_NOT_FOUND',
    });
  }
}
