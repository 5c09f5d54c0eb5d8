import { SourceError } from '../../base/errors.js';
import { fieldsOf, listOf, stringOf } from '../../base/json.js';
import { readJson, type JsonShape } from '../../base/strict-json.js';
import { parseAnnotations, type Descriptor } from './descriptor.js';
import { type ImageRepository, isComplete, missingPartError } from './image-repository.js';
import { LIMITS, type Limits } from './limits.js';

/** The fields of go-containerregistry's `v1.Config`. */
const CONTAINER_SHAPE: JsonShape = {
  fields: {
    AttachStderr: 'boolean',
    AttachStdin: 'boolean',
    AttachStdout: 'boolean',
    Cmd: ['string'],
    Healthcheck: {
      fields: {
        Test: ['string'],
        Interval: 'integer',
        Timeout: 'integer',
        StartPeriod: 'integer',
        Retries: 'integer',
      },
    },
    Domainname: 'string',
    Entrypoint: ['string'],
    Env: ['string'],
    Hostname: 'string',
    Image: 'string',
    Labels: { each: 'string' },
    OnBuild: ['string'],
    OpenStdin: 'boolean',
    StdinOnce: 'boolean',
    Tty: 'boolean',
    User: 'string',
    Volumes: { each: { fields: {} } },
    WorkingDir: 'string',
    ExposedPorts: { each: { fields: {} } },
    ArgsEscaped: 'boolean',
    NetworkDisabled: 'boolean',
    MacAddress: 'string',
    StopSignal: 'string',
    Shell: ['string'],
  },
};

/** The fields of go-containerregistry's `v1.ConfigFile`. */
const CONFIG_SHAPE: JsonShape = {
  fields: {
    architecture: 'string',
    author: 'string',
    container: 'string',
    created: 'string',
    docker_version: 'string',
    history: [
      {
        fields: {
          author: 'string',
          created: 'string',
          created_by: 'string',
          comment: 'string',
          empty_layer: 'boolean',
        },
      },
    ],
    os: 'string',
    rootfs: { fields: { type: 'string', diff_ids: ['digest'] } },
    config: CONTAINER_SHAPE,
    'os.version': 'string',
    variant: 'string',
    'os.features': ['string'],
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
