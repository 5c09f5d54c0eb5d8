import { SourceError } from '../../base/errors.js';
import { fieldsOf, listOf, stringOf } from '../../base/json.js';
import { readJson, type JsonShape } from '../../base/strict-json.js';
import { parseAnnotations, type Descriptor } from './descriptor.js';
import { type ImageRepository, isComplete, missingPartError } from './image-repository.js';
import { LIMITS, type Limits } from './limits.js';

/** Returns fields of the same shape. */
function all(shape: JsonShape, ...names: readonly string[]): Readonly<Record<string, JsonShape>> {
  return Object.fromEntries(names.map((name) => [name, shape]));
}

/** The fields of go-containerregistry's `v1.Config`. */
const CONTAINER_SHAPE: JsonShape = {
  fields: {
    ...all('boolean', 'AttachStderr', 'AttachStdin', 'AttachStdout', 'OpenStdin', 'StdinOnce'),
    ...all('boolean', 'Tty', 'ArgsEscaped', 'NetworkDisabled'),
    ...all('string', 'Domainname', 'Hostname', 'Image', 'User', 'WorkingDir', 'MacAddress'),
    ...all('string', 'StopSignal'),
    ...all(['string'], 'Cmd', 'Entrypoint', 'Env', 'OnBuild', 'Shell'),
    ...all({ each: { fields: {} } }, 'Volumes', 'ExposedPorts'),
    Labels: { each: 'string' },
    Healthcheck: {
      fields: {
        Test: ['string'],
        ...all('integer', 'Interval', 'Timeout', 'StartPeriod', 'Retries'),
      },
    },
  },
};

/** The fields of go-containerregistry's `v1.ConfigFile`. */
const CONFIG_SHAPE: JsonShape = {
  fields: {
    ...all('string', 'architecture', 'author', 'container', 'created', 'docker_version'),
    ...all('string', 'os', 'os.version', 'variant'),
    'os.features': ['string'],
    history: [
      {
        fields: {
          ...all('string', 'author', 'created', 'created_by', 'comment'),
          empty_layer: 'boolean',
        },
      },
    ],
    rootfs: { fields: { type: 'string', diff_ids: ['digest'] } },
    config: CONTAINER_SHAPE,
  },
};

/** Reads an image's config; throws if go-containerregistry would reject it or read other values. */
export function parseImageConfig(bytes: Uint8Array, subject: string) {
  const json = readJson(bytes, CONFIG_SHAPE);
  if ('problem' in json) {
    throw new SourceError('BAD_IMAGE', subject, `its config ${json.problem}`);
  }
  const fields = fieldsOf(json.value);
  const diffIds = listOf(fieldsOf(fields?.get('rootfs'))?.get('diff_ids'));
  return {
    os: stringOf(fields?.get('os')),
    architecture: stringOf(fields?.get('architecture')),
    /** Unvalidated text; `minimumAge` checks whether it is a date. */
    created: stringOf(fields?.get('created')),
    diffIds: diffIds?.flatMap((diffId) => stringOf(diffId) ?? []),
    labels: parseAnnotations(fieldsOf(fields?.get('config'))?.get('Labels')),
  };
}

/** Reads the config of an image. Returns undefined if it is missing in a partial repository. */
export async function readImageConfig(
  repository: ImageRepository,
  config: Descriptor,
  subject: string,
  limits: Limits = LIMITS,
) {
  if (config.size > limits.configBytes) {
    const what = `its config is larger than ${limits.configBytes} bytes`;
    throw new SourceError('TOO_LARGE', subject, what);
  }
  const bytes = await repository.blob(config);
  if (bytes !== undefined) return parseImageConfig(bytes, subject);
  if (isComplete(repository)) throw missingPartError(subject, `the config ${config.digest}`);
  return undefined;
}
