import { parseDocuments } from './document.js';
import { InputError } from '../../base/errors.js';
import {
  isList,
  isMapping,
  type JsonObject,
  type JsonValue,
  mappingOf,
  stringOf,
} from '../../base/json.js';

/** Returns the objects of a file with secrets, also those in Lists. No message quotes the file. */
function secretObjects(text: string, file: string): readonly JsonObject[] {
  try {
    return parseDocuments(text, file).flatMap(({ value }) => objectsIn(value));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // The original message quotes the line.
    throw new InputError('not valid YAML; what it says is not shown, for it may be secret', {
      origin: error.origin,
    });
  }
}

function objectsIn(value: JsonValue): readonly JsonObject[] {
  if (!isMapping(value)) return [];
  const { kind, items } = value;
  return kind === 'List' && isList(items) ? items.flatMap(objectsIn) : [value];
}

/** Returns the name of a Secret and its decoded values by field. */
function secretValues({ metadata, data, stringData }: JsonObject) {
  const decoded = textsIn(data).map(
    ([field, text]) => [field, Buffer.from(text, 'base64').toString('utf8')] as const,
  );
  const values = new Map([...decoded, ...textsIn(stringData)]);
  return { name: stringOf(mappingOf(metadata)?.['name']), values };
}

function textsIn(values: JsonValue | undefined): [field: string, text: string][] {
  return Object.entries(mappingOf(values) ?? {}).flatMap(([field, value]) =>
    typeof value === 'string' ? [[field, value]] : [],
  );
}

/** A Kubernetes pull secret, or a plain Docker config. */
interface PullSecret {
  /** Name of the Secret; undefined for a plain config, which no ImageConfig can reference. */
  readonly name: string | undefined;
  /** JSON of the Docker config. Must not be part of messages. */
  readonly dockerConfig: string;
}

const CONFIG_KEYS = ['.dockerconfigjson', '.dockercfg'];

/** Returns every pull secret in a YAML or JSON file. No message quotes the file. */
export function readPullSecrets(text: string, file: string): readonly PullSecret[] {
  const secrets = secretObjects(text, file).flatMap(secretsIn);
  if (secrets.length === 0) {
    throw new InputError('no pull secret is in it', {
      origin: { file },
      hint: 'it takes a Secret of type `kubernetes.io/dockerconfigjson`, or a Docker `config.json`',
    });
  }
  return secrets;
}

function secretsIn(object: JsonObject): readonly PullSecret[] {
  if (object['kind'] === 'Secret') {
    const { name, values } = secretValues(object);
    const configs = CONFIG_KEYS.flatMap((key) => values.get(key) ?? []);
    return configs.map((dockerConfig) => ({ name, dockerConfig }));
  }
  if (!isMapping(object['auths'])) return [];
  return [{ name: undefined, dockerConfig: JSON.stringify(object) }];
}

/** Returns every value of every Secret in a YAML or JSON file. No message quotes the file. */
export function readSecretFields(text: string, file: string) {
  const secrets = secretObjects(text, file).filter(({ kind }) => kind === 'Secret');
  return secrets.flatMap((object) => {
    const { name: secret = '', values } = secretValues(object);
    return [...values].map(([field, value]) => ({ secret, field, text: value }));
  });
}
