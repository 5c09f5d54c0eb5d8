import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The name of a declaration and its `.d.ts` file. */
interface Declared {
  readonly name: string;
  readonly file: string;
}

/** A statement in the output of `tsc`: an unindented line and the lines that belong to it. */
const STATEMENT = /^[^\s}].*\n(?:(?:[ \t].*)?\n|\}.*\n)*/gm;
const DECLARES_TYPE = /^(?:export )?(?:declare )?(?:interface|type|class) (\w+)/;
const DECLARES_VALUE = /^(?:export )?(?:declare )?(?:function|const) (\w+)/;
const FROM_FILE = /^(import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/;

/** The declarations of a `.d.ts` file and the origin of its imported names. */
class DeclarationFile {
  /** Exported declarations of other files. */
  readonly reexports: Declared[] = [];
  readonly #file: string;
  readonly #texts = new Map<string, string>();
  readonly #types = new Map<string, Declared>();

  constructor(file: string) {
    this.#file = file;
    const text = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
    for (const [statement] of text.matchAll(STATEMENT)) {
      const [, keyword, names, specifier] = FROM_FILE.exec(statement) ?? [];
      if (keyword === undefined) this.#declare(statement);
      else this.#refer(keyword, names!.split(','), specifier!);
    }
  }

  /** Returns the types that a declaration refers to. */
  typesIn(name: string): Declared[] {
    const words = new Set(this.#texts.get(name)?.match(/\b[A-Za-z_]\w*\b/g));
    return [...words].flatMap((word) => this.#types.get(word) ?? []);
  }

  #declare(statement: string): void {
    const type = DECLARES_TYPE.exec(statement)?.[1];
    const name = type ?? DECLARES_VALUE.exec(statement)?.[1];
    if (name === undefined) return;
    // Overloads share a name.
    this.#texts.set(name, (this.#texts.get(name) ?? '') + statement);
    if (type !== undefined) this.#types.set(name, { name, file: this.#file });
  }

  #refer(keyword: string, names: readonly string[], specifier: string): void {
    const file = join(dirname(this.#file), declarationOf(specifier));
    for (const written of names) {
      const [name, alias = name] = written.replace('type ', '').trim().split(' as ');
      if (keyword === 'export') this.reexports.push({ name: name!, file });
      else this.#types.set(alias!, { name: name!, file });
    }
  }
}

/** Returns the packages that declaration files import: those of an entry and all it leads to. */
export function declaredImports(entry: string): string[] {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
    for (const [, specifier] of text.matchAll(/\b(?:from |import\()['"]([^'"]+)['"]/g)) {
      if (specifier!.startsWith('.')) files.add(join(dirname(file), declarationOf(specifier!)));
      else packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(specifier!)![0]);
    }
  }
  return [...packages].sort();
}

function declarationOf(specifier: string): string {
  return specifier.replace(/\.js$/, '.d.ts');
}

/**
 * Returns the types that users of an entry see but cannot import: an exported declaration refers to
 * them, directly or indirectly, and no entry exports them.
 */
export function unreachableTypes(entry: string, others: readonly string[] = []): string[] {
  const files = new Map<string, DeclarationFile>();
  const read = (file: string): DeclarationFile => {
    const known = files.get(file) ?? new DeclarationFile(file);
    files.set(file, known);
    return known;
  };
  const importable = new Set([entry, ...others].flatMap((each) => read(each).reexports).map(key));
  const met = new Map(read(entry).reexports.map((declared) => [key(declared), declared]));
  const missing: string[] = [];
  // A Map may grow during iteration, so added types are visited, too.
  for (const { name, file } of met.values()) {
    for (const type of read(file).typesIn(name)) {
      if (met.has(key(type))) continue;
      met.set(key(type), type);
      if (!importable.has(key(type))) missing.push(`${type.name}, which ${name} speaks of`);
    }
  }
  return missing;
}

function key({ name, file }: Declared): string {
  return `${file} ${name}`;
}
