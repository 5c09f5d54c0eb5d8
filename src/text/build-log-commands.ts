/** A form of text by which a line of a build log commands the system that shows the log. */
export interface BuildLogCommand {
  readonly system: string;
  /** What the system would obey. */
  readonly example: string;
  /**
   * Matches the one character that is replaced, so that the form is lost. It begins with that character, and
   * looks back after it: so a long text is searched for a character, and not looked at from every place.
   */
  readonly pattern: RegExp;
}

/**
 * The commands that are neutralised in all output. Those that need a control character lose it as
 * all text does; they are listed so that each has its test.
 */
export const BUILD_LOG_COMMANDS: readonly BuildLogCommand[] = [
  { system: 'GitHub Actions', example: '::error::x', pattern: /:(?=:)(?<=^[^\S\n]*:)/gm },
  { system: 'GitHub Actions', example: '##[error]x', pattern: /#(?<=##)(?=\[)/g },
  { system: 'Azure Pipelines', example: '##vso[task.complete]', pattern: /#(?<=##)(?=vso\[)/gi },
  {
    system: 'TeamCity',
    example: "##teamcity[buildStop comment='x']",
    pattern: /#(?<=##)(?=teamcity\[)/gi,
  },
  { system: 'GitLab', example: 'section_start:1:x', pattern: /_(?<=section_)(?=(?:start|end):)/gi },
  // A console note, which Jenkins deserialises.
  {
    system: 'Jenkins',
    example: '\u001b[8mha:////4AAAA',
    // eslint-disable-next-line no-control-regex -- the form begins with an escape character
    pattern: /\u001b(?=\[8mha:)/g,
  },
  {
    system: 'Travis CI',
    example: 'travis_fold:start:x',
    pattern: /_(?<=travis_)(?=fold:|time:)/gi,
  },
  { system: 'Buildkite', example: '--- x', pattern: /[-+~](?=([-+~])\1[^\S\n]+\S)(?<=^[-+~])/gm },
  { system: 'Buildkite', example: '^^^ +++', pattern: /\^(?=\^\^[^\S\n]+\S)(?<=^\^)/gm },
  // An inline image or link.
  {
    system: 'Buildkite',
    example: "\u001b]1339;url='https://example.org/'",
    // eslint-disable-next-line no-control-regex -- the form begins with an escape character
    pattern: /\u001b(?=\]13(?:38|39);)/g,
  },
];

/** The text with every command's marked character replaced. */
export function withoutCommands(text: string, replaced: (character: string) => string): string {
  return BUILD_LOG_COMMANDS.reduce((rest, { pattern }) => rest.replace(pattern, replaced), text);
}

/** Every command has one of these; most texts have none. */
// eslint-disable-next-line no-control-regex -- two of the forms begin with an escape character
const MAY_COMMAND = /::|[#_\u001b]|^[-+~^]/m;

export function speaksCommand(text: string): boolean {
  if (!MAY_COMMAND.test(text)) return false;
  return BUILD_LOG_COMMANDS.some(({ pattern }) => text.search(pattern) !== -1);
}
