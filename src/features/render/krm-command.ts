import { applyPatch } from '../../project/edit/apply-patch.js';
import { parseDocuments } from '../../project/inputs/document.js';
import { InputError } from '../../base/errors.js';
import { targetFor } from '../../crossplane/releases/target.js';
import {
  isMapping,
  listOf,
  mappingOf,
  stringOf,
  type JsonObject,
  type JsonValue,
  type PatchOperation,
} from '../../base/json.js';
import { type KrmAnswer, type KrmResult, transformItems, validateItems } from './krm.js';
import type { Pin } from '../../project/manifests/package-object.js';
import { render } from '../../project/manifests/render.js';
import { defineCommand, EXIT, type ExitCode } from '../../cli/kit/command.js';
import { DEFAULT_LOCK, pinFlags } from '../../cli/arguments/common-flags.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { readLockFile } from '../../cli/files/lock-file.js';
import { isOciPath } from '../../cli/sources/oci-path.js';

/** `krm`: a kustomize and kpt function that renders the lockfile. */
export const krmCommand = defineCommand({
  positionals: {},
  flags: {},
  examples: [
    ['$0 krm < list.yaml', 'as kustomize runs it, with `--enable-alpha-plugins --enable-exec`'],
  ],
  epilogue:
    'Reads a ResourceList from stdin and prints it with the objects of the lockfile. Its ' +
    'functionConfig is `apiVersion: xpkg-resolve.dev/v1alpha1`, `kind: Render`, with the fields ' +
    '`lock`, `pin`, `crossplane`, `argocd` and `mode` (render, validate) in `spec`. Nothing is ' +
    'asked of any network, and no file is written.',
  run: async (_args, io) => {
    const list = readList(await io.stdin());
    const { changes, results, code } = await answerTo(list, io);
    const patches = [...changes, ...resultChanges(list.value, results)];
    return { text: applyPatch(list.text, 0, patches), results, code };
  },
  notes: ({ results }) => results.map(resultLine),
  text: ({ text }) => text,
  isVerbatim: true,
  exit: ({ code }) => code,
});

interface ResourceList {
  readonly text: string;
  readonly value: JsonObject;
  readonly items: readonly JsonValue[];
}

const LISTS = ['config.kubernetes.io/v1 ResourceList', 'config.kubernetes.io/v1beta1 ResourceList'];
const PLAIN_LIST = 'v1 List';

function readList(text: string): ResourceList {
  const [document, ...more] = parseDocuments(text, 'stdin');
  const value = document?.value;
  const type = isMapping(value)
    ? `${stringOf(value['apiVersion'])} ${stringOf(value['kind'])}`
    : '';
  if (!isMapping(value) || more.length > 0 || ![...LISTS, PLAIN_LIST].includes(type)) {
    throw new InputError('what stdin has is no ResourceList', {
      hint: 'kustomize and kpt give one to functions; see docs/kustomize.md',
    });
  }
  return { text, value, items: listOf(value['items']) ?? [] };
}

interface FunctionAnswer extends KrmAnswer {
  readonly code: ExitCode;
}

async function answerTo({ value, items }: ResourceList, io: RunIo): Promise<FunctionAnswer> {
  const config = readConfig(value['functionConfig']);
  if ('results' in config) return config;
  try {
    return await fromLock(config, items, io);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { message, hint, origin } = error;
    const text = hint === undefined ? message : `${message}; ${hint}`;
    const file = { path: origin?.file ?? config.lock };
    return failedAnswer({ message: text, severity: 'error', file }, EXIT.badInput);
  }
}

/** The options in a functionConfig. */
interface KrmConfig {
  readonly lock: string;
  readonly pin: Pin | undefined;
  readonly crossplane: string | undefined;
  readonly argocd: boolean;
  /** Whether to report differences without changing items. */
  readonly validate: boolean;
}

const API_VERSION = 'xpkg-resolve.dev/v1alpha1';
const FIELDS = ['lock', 'pin', 'crossplane', 'argocd', 'mode'];

/** Reads an object of `kind: Render`, or a ConfigMap with the same fields in its data. */
function readConfig(config: JsonValue | undefined): KrmConfig | FunctionAnswer {
  const object = config ?? {};
  if (!isMapping(object)) return badConfig('', 'must be a mapping', object);
  const isMap = object['kind'] === 'ConfigMap';
  const isNone = Object.keys(object).length === 0;
  const isRender = object['kind'] === 'Render' && object['apiVersion'] === API_VERSION;
  if (!isMap && !isNone && !isRender) {
    const message = `must be \`${API_VERSION}\` \`Render\`, or a ConfigMap`;
    return badConfig('kind', message, object['kind']);
  }
  const at = isMap ? 'data' : 'spec';
  const spec = mappingOf(object[at]) ?? {};
  const wrong = (field: string, message: string) =>
    badConfig(`${at}.${field}`, message, spec[field]);
  const unknown = Object.keys(spec).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) return wrong(unknown, `is no field: these are ${FIELDS.join(', ')}`);
  const { lock, pin, crossplane, argocd = false, mode = 'render' } = spec;
  if (lock !== undefined && (stringOf(lock) ?? '') === '') return wrong('lock', 'must be a path');
  const { choices: pins } = pinFlags.pin;
  const pinned = pins.find((each) => each === pin);
  if (pin !== undefined && pinned === undefined) {
    return wrong('pin', `must be one of ${pins.join(', ')}`);
  }
  if (crossplane !== undefined && stringOf(crossplane) === undefined) {
    return wrong('crossplane', 'must be a Crossplane release');
  }
  // The data of a ConfigMap consists of strings.
  const isTrue = argocd === true || argocd === 'true';
  if (!isTrue && argocd !== false && argocd !== 'false') {
    return wrong('argocd', 'must be true or false');
  }
  if (mode !== 'render' && mode !== 'validate') return wrong('mode', 'must be render or validate');
  return {
    lock: stringOf(lock) ?? DEFAULT_LOCK,
    pin: pinned,
    crossplane: stringOf(crossplane),
    argocd: isTrue,
    validate: mode === 'validate',
  };
}

function badConfig(path: string, problem: string, value: JsonValue | undefined): FunctionAnswer {
  const message = `functionConfig${path === '' ? '' : `.${path}`} ${problem}`;
  const field = { path, ...(value === undefined ? {} : { currentValue: value }) };
  return failedAnswer({ message, severity: 'error', field }, EXIT.badInput);
}

async function fromLock(
  config: KrmConfig,
  items: readonly JsonValue[],
  io: RunIo,
): Promise<FunctionAnswer> {
  const { lock: path, pin, argocd } = config;
  if (isOciPath(path)) {
    throw new InputError(`\`${path}\` is at a registry, and a function has no network`, {
      hint: 'name a file in `spec.lock`',
    });
  }
  const lock = await readLockFile(path, io);
  if (lock === undefined) {
    const message = `there is no lockfile \`${path}\`; \`xpkg-resolve resolve\` writes one`;
    const field = { path: 'spec.lock', currentValue: path };
    return failedAnswer({ message, severity: 'error', file: { path }, field }, EXIT.lockMismatch);
  }
  const target = config.crossplane === undefined ? undefined : targetFor(config.crossplane);
  if (config.crossplane !== undefined && target === undefined) {
    throw new InputError(`\`${config.crossplane}\` is not a Crossplane release`);
  }
  const { bundle, warnings } = render(lock.lockfile, { target, pin, argocd });
  const answer = config.validate
    ? { changes: [], results: validateItems(items, bundle, argocd) }
    : transformItems(items, bundle, argocd);
  const results = [
    ...warnings.map((message) => ({ message, severity: 'warning', file: { path } }) as const),
    ...answer.results,
  ];
  const isBad = results.some(({ severity }) => severity === 'error');
  return { changes: answer.changes, results, code: isBad ? EXIT.lockMismatch : EXIT.done };
}

function failedAnswer(result: KrmResult, code: ExitCode): FunctionAnswer {
  return { changes: [], results: [result], code };
}

/** Returns the changes that add results to those of earlier functions; before v1, a named list held them. */
function resultChanges(list: JsonObject, results: readonly KrmResult[]): PatchOperation[] {
  if (results.length === 0 || list['kind'] !== 'ResourceList') return [];
  const value = results as unknown as readonly JsonObject[];
  const before = list['results'];
  const op = before === undefined ? 'add' : 'replace';
  const isFlat = list['apiVersion'] === 'config.kubernetes.io/v1';
  if (!isFlat) return [{ op, path: '/results', value: { name: 'xpkg-resolve', items: value } }];
  return [{ op, path: '/results', value: [...(listOf(before) ?? []), ...value] }];
}

function resultLine({ severity, message, resourceRef, file, field }: KrmResult): string {
  const object = resourceRef === undefined ? '' : `${stringOf(resourceRef['kind'])} `;
  const name = resourceRef === undefined ? '' : `\`${stringOf(resourceRef['name'])}\` `;
  const proposed = field?.['proposedValue'];
  const wanted = proposed === undefined ? '' : ` (wanted: ${JSON.stringify(proposed)})`;
  const place = file === undefined || object === '' ? '' : ` [${stringOf(file['path'])}]`;
  return `${severity}: ${object}${name}${message}${wanted}${place}`;
}
