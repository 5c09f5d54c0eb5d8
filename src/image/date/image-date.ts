import { SourceError } from '../../model/source-error.js';
import type { Released } from '../../model/package-source.js';
import type { TargetRules } from '../../model/target/target.js';
import { fieldsOf, parseJson, stringOf } from '../../text/json.js';
import { isComplete, missingPart } from '../audit/missing-part.js';
import type { ImageRepository } from '../image-repository.js';
import { LIMITS } from '../limits.js';
import { locatePackage } from '../locate-package.js';

/**
 * When an image says that it was made; undefined: there is no such tag or digest. It stands in the
 * config of the image that the target would read, which costs one small blob.
 */
export async function imageDate(
  repository: ImageRepository,
  reference: string,
  rules: Pick<TargetRules, 'severalBaseLayers' | 'maxLayers'>,
): Promise<Released | undefined> {
  const located = await locatePackage(repository, reference, rules);
  if (located?.image === undefined) return located && {};
  const { config } = located.image;
  const subject = `${repository.name}@${located.digest}`;
  if (config.size > LIMITS.configBytes) {
    const what = `its config is larger than ${LIMITS.configBytes} bytes`;
    throw new SourceError('TOO_LARGE', subject, what);
  }
  const bytes = await repository.blob(config);
  if (bytes === undefined) {
    if (isComplete(repository)) throw missingPart(subject, `the config ${config.digest}`);
    return {};
  }
  const created = stringOf(fieldsOf(parseJson(bytes)?.value)?.get('created'));
  return created === undefined ? {} : { created };
}
