import { InputError } from '../../model/input-error.js';
import { parseDocuments } from '../document.js';
import { DEFAULT_FILES, findInputFiles, readText, type InputFileOptions } from '../input-files.js';
import { packageListIn, type PackageList } from './package-list.js';

/** A list of packages in a file, with the text of the file. */
export interface ListInFile {
  readonly list: PackageList;
  /** As the user would write it. */
  readonly file: string;
  readonly text: string;
}

/** The list to edit: of the first PackageSet in the files named, or else of the first package. */
export async function findPackageList(options: InputFileOptions): Promise<ListInFile> {
  const found: ListInFile[] = [];
  const files = await findInputFiles(options);
  for (const { path } of files) {
    if (path === '-') continue;
    const text = await readText(path, options.cwd);
    for (const document of parseDocuments(text, path)) {
      const list = packageListIn(document);
      if (list !== undefined) found.push({ list, file: path, text });
    }
  }
  const chosen = found.find(({ list }) => isPackageSet(list)) ?? found[0];
  if (chosen !== undefined) return chosen;
  const where = files.map(({ path }) => `\`${path}\``).join(', ') || 'this folder';
  throw new InputError(`there is no PackageSet to edit in ${where}`, {
    hint: `\`xpkg-resolve init\` writes \`${DEFAULT_FILES[0]}\`; \`-f\` names another file`,
  });
}

/** Whether a list is that of a PackageSet, and not of a package under development. */
export function isPackageSet({ document: { value } }: PackageList): boolean {
  return (value as { kind?: unknown }).kind === 'PackageSet';
}
