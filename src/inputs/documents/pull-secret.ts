import { InputError } from '../../model/input-error.js';
import { isMapping, type JsonObject } from '../../text/json.js';
import { secretObjects, secretValues } from './secret-file.js';

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
  const secrets = secretObjects(text, file).flatMap((object) => secretsIn(object));
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
    return CONFIG_KEYS.flatMap((key) => values.get(key) ?? []).map((dockerConfig) => {
      return { name, dockerConfig };
    });
  }
  return isMapping(object['auths'])
    ? [{ name: undefined, dockerConfig: JSON.stringify(object) }]
    : [];
}
