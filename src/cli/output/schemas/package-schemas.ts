import { crossplane, kind, notes, owned, place, severity, source, version } from './fields.js';
import { anything, count, flag, list, outputSchema, record, text, texts } from './parts.js';

const packageFinding = record(
  {
    severity,
    code: text('Name of the rule.'),
    message: text('What is wrong, why, and what to write.'),
    'file?': text('File that it stands in.'),
    'line?': count('Line in that file, from 1.'),
  },
  'Something found in a package.',
);

/** What `-o json` prints, of commands about one package. */
export const PACKAGE_SCHEMAS = {
  'versions-output': outputSchema('versions -o json', {
    source,
    crossplane,
    'locked?': text('Version that is locked.'),
    versions: list(
      record({
        version,
        prerelease: flag('Whether it is a prerelease.'),
        'crossplane?': text('Which Crossplane it needs; absent: any, or it is refused.'),
        'refused?': text('Why the release does not take it.'),
      }),
      'Newest first.',
    ),
    total: count('How many versions there are.'),
  }),
  'search-output': outputSchema('search -o json', {
    word: text('What was searched for.'),
    packages: list(
      record({
        source,
        version: text('The newest version, or the one that is locked.'),
        kind,
        named: flag('Whether the word is in its name.'),
        owns: list(owned, 'What it owns by that word.'),
      }),
      'What was found, by source.',
    ),
  }),
  'constraint-output': outputSchema('constraint -o json', {
    constraint: text('The range.'),
    crossplane,
    semver: text('Version of the Go library that the release reads ranges with.'),
    means: text('What it admits, spelled out.'),
    prereleases: flag('Whether any prerelease can be admitted.'),
    notes,
    versions: list(
      record({
        version,
        validVersion: flag('Whether it is a version at all.'),
        satisfied: flag('Whether the range admits it.'),
        'reason?': text('Why it does not.'),
      }),
      'The versions that were asked about.',
    ),
  }),
  'inspect-output': outputSchema('inspect -o json', {
    package: text('What was asked for.'),
    target: crossplane,
    accepted: flag('Whether the release takes the package.'),
    'version?': text('The tag that was read; absent: it is of a file.'),
    'digest?': text('Digest of the image.'),
    'apiVersion?': text('Of the meta document.'),
    'kind?': text('Kind of the package.'),
    'name?': text('Name in the meta document.'),
    'crossplane?': text('Which Crossplane it needs; absent: any.'),
    labels: anything('Labels of the meta document.'),
    annotations: anything('Annotations of the meta document.'),
    capabilities: texts('What it says it can do.'),
    dependsOn: list(anything('An entry, as written.'), 'What it depends on.'),
    requirements: list(anything('An entry, as the release reads it.'), 'What it requires.'),
    owns: anything('Names of what it owns, by API group and kind.'),
    findings: list(packageFinding, 'What the release makes of it.'),
  }),
  'lint-output': {
    ...outputSchema('lint -o json', {
      crossplane,
      findings: list(
        {
          anyOf: [
            record({
              rule: text('Name of the rule.'),
              severity,
              ...place,
              text: text('What is wrong, and why it hurts.'),
              'fix?': text('What to write instead.'),
            }),
            packageFinding,
          ],
        },
        'By file and line; of a set `rule` and `text`, of a package `code` and `message`.',
      ),
      'package?': text('The package that was looked at; absent: the set.'),
      'errors?': count('How many errors a package has.'),
      'warnings?': count('How many warnings a package has.'),
    }),
  },
  'convert-output': outputSchema('convert -o json', {
    folder: text('Folder that was written.'),
    name: text('Name of the package.'),
    files: texts('Files in the folder.'),
    losses: list(
      record({
        what: text('Field or file that is lost.'),
        file: text('File that it stands in.'),
        text: text('Why, and what says it today.'),
      }),
      'What has no equivalent.',
    ),
  }),
} as const;
