import { InputError } from '../../model/input-error.js';
import {
  isList,
  isMapping,
  mappingOf,
  stringOf,
  type JsonObject,
  type JsonValue,
} from '../../text/json.js';
import { parseDocuments, type InputDocument } from '../document.js';

/** A Kubernetes pull secret, or a bare Docker config, as a file holds it. */
interface PullSecret {
  /** undefined: a bare config, which no ImageConfig can name. */
  readonly name: string | undefined;
  /** JSON of a Docker config. Secret: not for messages. */
  readonly dockerConfig: string;
}

const CONFIG_KEYS = ['.dockerconfigjson', '.dockercfg'];

/** Every pull secret in a YAML or JSON file, Lists included; no message repeats what it says. */
export function readPullSecrets(text: string, file: string): readonly PullSecret[] {
  const secrets = documentsIn(text, file).flatMap(({ value }) => secretsIn(value));
  if (secrets.length === 0) {
    throw new InputError('no pull secret is in it', {
      origin: { file },
      hint: 'it takes a Secret of type `kubernetes.io/dockerconfigjson`, or a Docker `config.json`',
    });
  }
  return secrets;
}

function documentsIn(text: string, file: string): readonly InputDocument[] {
  try {
    return parseDocuments(text, file);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // The message would show the line.
    throw new InputError('not valid YAML; what it says is not shown, for it may be secret', {
      origin: error.origin,
    });
  }
}

function secretsIn(value: JsonValue): readonly PullSecret[] {
  if (!isMapping(value)) return [];
  const { kind, items } = value;
  if (kind === 'List' && isList(items)) {
    return items.flatMap(secretsIn);
  }
  if (kind === 'Secret') return fromSecret(value);
  return isMapping(value['auths'])
    ? [{ name: undefined, dockerConfig: JSON.stringify(value) }]
    : [];
}

function fromSecret(secret: JsonObject): readonly PullSecret[] {
  const name = field(secret['metadata'], 'name');
  return CONFIG_KEYS.flatMap((key) => {
    const plain = field(secret['stringData'], key);
    const encoded = field(secret['data'], key);
    if (plain !== undefined) return [{ name, dockerConfig: plain }];
    if (encoded === undefined) return [];
    return [{ name, dockerConfig: Buffer.from(encoded, 'base64').toString('utf8') }];
  });
}

function field(value: JsonValue | undefined, key: string): string | undefined {
  return stringOf(mappingOf(value)?.[key]);
}
