import type { ConvertedPackage } from '../../../convert/convert-package.js';
import type { Loss } from '../../../convert/loss.js';
import { printable } from '../../../text/printable.js';
import { counted } from '../counted.js';

/** What `convert -o json` prints. */
interface ConversionReport {
  readonly folder: string;
  /** `metadata.name` of the package. */
  readonly name: string;
  /** Below the folder. */
  readonly files: readonly string[];
  /** What has no equivalent. */
  readonly losses: readonly Loss[];
}

export function conversionReport(
  folder: string,
  { name, files, losses }: ConvertedPackage,
): ConversionReport {
  return { folder, name, files: [...files.keys()], losses };
}

/** A line for each loss, and one for all; each ends with a newline. */
export function conversionLines({ folder, name, files, losses }: ConversionReport): string[] {
  const lines = losses.map(({ file, what, text }) => `${file}: ${what}: ${text}`);
  const crds = counted(files.length - 1, 'CRD');
  const lost = `lines above, of what has no equivalent: ${losses.length}`;
  return [...lines, `Provider ${name} in ${folder}/: crossplane.yaml and ${crds}; ${lost}`].map(
    (line) => `${printable(line, 1_200)}\n`,
  );
}
