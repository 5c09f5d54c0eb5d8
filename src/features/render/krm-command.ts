import { applyPatch } from '../../project/edit/apply-patch.js';
import { parseDocuments } from '../../project/inputs/document.js';
import { InputError } from '../../base/errors.js';
import { targetFor } from '../../crossplane/releases/target.js';
import {
  isMapping,
  listOf,
  stringOf,
  type JsonObject,
  type JsonValue,
  type PatchOperation,
} from '../../base/json.js';
import {
  readKrmConfig,
  type KrmConfig,
  validateItems,
  transformItems,
  type KrmResult,
} from './krm.js';
import { render } from '../../project/manifests/render.js';
import { EXIT, type ExitCode } from '../../cli/kit/command.js';
import { defineCommand } from '../../cli/kit/define-command.js';
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
  run: async (_args, io): Promise<KrmValue> => {
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

interface KrmValue {
  /** The ResourceList with the changes. */
  readonly text: string;
  readonly results: readonly KrmResult[];
  readonly code: ExitCode;
}

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

interface FunctionAnswer {
  readonly changes: readonly PatchOperation[];
  readonly results: readonly KrmResult[];
  readonly code: ExitCode;
}

async function answerTo({ value, items }: ResourceList, io: RunIo): Promise<FunctionAnswer> {
  const config = readKrmConfig(value['functionConfig'], {
    defaultLock: DEFAULT_LOCK,
    pins: pinFlags.pin.choices,
  });
  if ('message' in config) {
    const { message, path, value: current } = config;
    const field = { path, ...(current === undefined ? {} : { currentValue: current }) };
    const told = `functionConfig${path === '' ? '' : `.${path}`} ${message}`;
    return failed({ message: told, severity: 'error', field }, EXIT.badInput);
  }
  try {
    return await fromLock(config, items, io);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { message, hint, origin } = error;
    const text = hint === undefined ? message : `${message}; ${hint}`;
    const file = { path: origin?.file ?? config.lock };
    return failed({ message: text, severity: 'error', file }, EXIT.badInput);
  }
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
    return failed({ message, severity: 'error', file: { path }, field }, EXIT.lockMismatch);
  }
  const target = config.crossplane === undefined ? undefined : targetFor(config.crossplane);
  if (config.crossplane !== undefined && target === undefined) {
    throw new InputError(`\`${config.crossplane}\` is not a Crossplane release`);
  }
  const { bundle, warnings } = render(lock.lockfile, { target, pin, argocd });
  const told = warnings.map((message): KrmResult => {
    return { message, severity: 'warning', file: { path } };
  });
  const answer = config.validate
    ? { changes: [], results: validateItems(items, bundle, config) }
    : transformItems(items, bundle, config);
  const results = [...told, ...answer.results];
  const isBad = results.some(({ severity }) => severity === 'error');
  return { changes: answer.changes, results, code: isBad ? EXIT.lockMismatch : EXIT.done };
}

function failed(result: KrmResult, code: ExitCode): FunctionAnswer {
  return { changes: [], results: [result], code };
}

/** Results in the list, beside those of functions before; until v1 they had a name around them. */
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
