import { byCodePoint } from '../../text/code-point-order.js';
import { stringOf, weightOf } from '../../text/json.js';
import type {
  MetaDocument,
  PackageContents,
  PackageObject,
  StreamProblem,
} from '../../model/package-contents.js';
import type { PackageDocument } from '../../model/document/package-document.js';
import { DOCUMENT_LIMITS } from '../document-limits.js';
import { readContents, readPackageYaml } from '../read-package-yaml.js';
import { appMeta } from './app-meta.js';
import { readOneDocument } from './one-document.js';
import { insideRegistry, registryPart } from './registry-part.js';

/** What one file adds to a package. */
interface FileContents {
  readonly metas?: readonly MetaDocument[];
  readonly objects?: readonly PackageObject[];
  readonly problems?: readonly StreamProblem[];
  readonly warnings?: readonly StreamProblem[];
}

/**
 * A package of the first format, read file by file in any order: `app.yaml` says what it is, files
 * named `*crd.yaml` below `resources/` what it owns. What it comes to does not depend on the order.
 */
export class RegistryPackage {
  /** By path below `.registry/`. */
  readonly #files = new Map<string, FileContents>();
  readonly #take: TakeDocument | undefined;
  #weight = 0;
  #documents = 0;
  #seen = false;

  /** `take`: is given every document of the files of CRDs, with its line in the file. */
  constructor(take?: TakeDocument) {
    this.#take = take;
  }

  takes(path: string): boolean {
    return registryPart(path) !== undefined;
  }

  async add(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    this.#seen = true;
    const part = registryPart(path);
    if (part !== 'app' && part !== 'install' && part !== 'crd') return;
    const inside = insideRegistry(path)!;
    if (this.#files.has(inside)) {
      this.#files.set(inside, { problems: [{ message: 'the file is there twice' }] });
    } else if (this.#limitPassed === undefined) {
      const read = await READERS[part](content, this.#take);
      this.#files.set(inside, read);
      this.#documents += read.objects?.length ?? 0;
      this.#weight += weightOf([inside, read]);
    }
  }

  /** undefined: there is no such package. */
  get value(): PackageContents | undefined {
    if (!this.#seen) return undefined;
    const files = [...this.#files].sort(([a], [b]) => byCodePoint(a, b));
    const full = this.#limitPassed;
    const missing = this.#files.has('app.yaml') ? [] : [{ message: NO_APP }];
    return {
      metas: files.flatMap(([, { metas = [] }]) => metas),
      objects: mergedByName(files.flatMap(([, { objects = [] }]) => objects)),
      problems: [
        ...missing,
        ...files.flatMap(([path, { problems = [] }]) => located(path, problems)),
        ...(full === undefined ? [] : [{ message: full }]),
      ].slice(0, DOCUMENT_LIMITS.toldProblems),
      warnings: files
        .flatMap(([path, { warnings = [] }]) => located(path, warnings))
        .slice(0, DOCUMENT_LIMITS.toldProblems),
    };
  }

  /** Says which limit of a package was passed; undefined: none was. */
  get #limitPassed(): string | undefined {
    if (this.#documents > DOCUMENT_LIMITS.documents) {
      return `\`.registry/\` has more than ${DOCUMENT_LIMITS.documents} CRDs; split the package`;
    }
    if (this.#weight <= DOCUMENT_LIMITS.keptChars) return undefined;
    return 'its names, versions and metadata are too long together; split the package';
  }
}

/** One CRD, where several files each hold a version of it. */
function mergedByName(objects: readonly PackageObject[]): PackageObject[] {
  const byName = new Map<string, PackageObject>();
  for (const object of objects) {
    const first = byName.get(object.name)?.defines;
    const versions = [...(first?.versions ?? []), ...(object.defines?.versions ?? [])];
    const defines = first ?? object.defines;
    const whole = defines && { defines: { ...defines, versions: [...new Set(versions)] } };
    byName.set(object.name, { ...object, ...whole });
  }
  return [...byName.values()];
}

const NO_APP = '`.registry/` holds no `app.yaml`, which says what the package is';

type TakeDocument = (document: PackageDocument) => void;

type FileReader = (
  content: AsyncIterable<Uint8Array>,
  take: TakeDocument | undefined,
) => Promise<FileContents>;

const READERS: Readonly<Record<'app' | 'install' | 'crd', FileReader>> = {
  async app(content) {
    const read = await readOneDocument(content);
    if ('problem' in read) return { problems: [read.problem] };
    const { meta, warnings } = appMeta(read);
    return { metas: [structuredClone(meta)], warnings };
  },

  /** Not kept: of what it says, nothing decides whether a package can be installed beside others. */
  async install(content) {
    const read = await readOneDocument(content);
    if ('problem' in read) return { problems: [read.problem] };
    if (read.value['kind'] === 'Deployment') return {};
    const kind = stringOf(read.value['kind'])?.slice(0, 40) ?? 'document without a kind';
    const message = `it is a ${kind}; a package of this format is installed by one Deployment`;
    return { problems: [{ message, line: read.line }] };
  },

  async crd(content, take) {
    const { metas, objects, problems, warnings } =
      take === undefined
        ? await readPackageYaml(content)
        : (await readContents(content, take)).contents;
    const strange = [...metas, ...objects].filter(
      ({ kind }) => kind !== 'CustomResourceDefinition',
    );
    const told = strange.map(({ kind, name, line }) => {
      return { message: `${kind} \`${name}\` is no CustomResourceDefinition`, line };
    });
    return {
      objects: objects.map((object) => ({ ...object, line: undefined })),
      problems: [...problems, ...told],
      warnings,
    };
  },
};

/** Says in the message where a problem is: the lines of a package are those of its app.yaml. */
function located(path: string, problems: readonly StreamProblem[]): StreamProblem[] {
  return problems.map(({ message, line }) => {
    if (path === 'app.yaml') return { message: `\`app.yaml\`: ${message}`, line };
    const place = line === undefined ? path : `${path}:${line}`;
    return { message: `\`${place}\`: ${message}` };
  });
}
