import type { Pin } from '../../bundle/package-object.js';
import { isMapping, mappingOf, stringOf, type JsonValue } from '../../text/json.js';

/** What a functionConfig asks for. */
export interface KrmConfig {
  readonly lock: string;
  readonly pin: Pin | undefined;
  readonly crossplane: string | undefined;
  readonly argocd: boolean;
  /** Only look, and change nothing. */
  readonly validate: boolean;
}

/** What is wrong with a functionConfig, and where. */
export interface KrmConfigProblem {
  readonly message: string;
  readonly path: string;
  readonly value: JsonValue | undefined;
}

interface ConfigOptions {
  readonly defaultLock: string;
  readonly pins: readonly Pin[];
}

const OWN = 'xpkg-resolve.dev/v1alpha1';
const FIELDS = ['lock', 'pin', 'crossplane', 'argocd', 'mode'];

/** Reads `kind: Render`, or a ConfigMap whose data has the fields of its spec. */
export function readKrmConfig(
  config: JsonValue | undefined,
  { defaultLock, pins }: ConfigOptions,
): KrmConfig | KrmConfigProblem {
  const object = config === undefined || config === null ? {} : config;
  if (!isMapping(object)) return { message: 'must be a mapping', path: '', value: object };
  const isMap = object['kind'] === 'ConfigMap';
  const isNone = Object.keys(object).length === 0;
  if (!isMap && !isNone && (object['kind'] !== 'Render' || object['apiVersion'] !== OWN)) {
    const value = object['kind'];
    return { message: `must be \`${OWN}\` \`Render\`, or a ConfigMap`, path: 'kind', value };
  }
  const at = isMap ? 'data' : 'spec';
  const spec = mappingOf(object[at]) ?? {};
  const bad = (field: string, message: string): KrmConfigProblem => ({
    message,
    path: `${at}.${field}`,
    value: spec[field],
  });
  const unknown = Object.keys(spec).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) return bad(unknown, `is no field: these are ${FIELDS.join(', ')}`);
  const { lock, pin, crossplane, argocd = false, mode = 'render' } = spec;
  if (lock !== undefined && (stringOf(lock) ?? '') === '') return bad('lock', 'must be a path');
  const pinned = pins.find((each) => each === pin);
  if (pin !== undefined && pinned === undefined) {
    return bad('pin', `must be one of ${pins.join(', ')}`);
  }
  if (crossplane !== undefined && stringOf(crossplane) === undefined) {
    return bad('crossplane', 'must be a Crossplane release');
  }
  // The data of a ConfigMap is text.
  const isTrue = argocd === true || argocd === 'true';
  if (!isTrue && argocd !== false && argocd !== 'false') {
    return bad('argocd', 'must be true or false');
  }
  if (mode !== 'render' && mode !== 'validate') return bad('mode', 'must be render or validate');
  return {
    lock: stringOf(lock) ?? defaultLock,
    pin: pinned,
    crossplane: stringOf(crossplane),
    argocd: isTrue,
    validate: mode === 'validate',
  };
}
