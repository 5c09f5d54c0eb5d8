import { wrap } from '../../../text/wrap.js';
import type { Mismatch } from '../../../usecases/mismatch.js';

/** Marks a message about a possible attack, so that it stands out in a build log. */
function security(text: string): string[] {
  return wrap(`SECURITY: ${text}`, '', '  ');
}

/** `moved`: one of the packages whose tag was moved, for the command that takes it as it is now. */
export function movedTagAlert({ repository, version }: Mismatch): string[] {
  return [
    ...security(
      'a tag names other bytes than were locked. Its publisher pushed it again, or somebody ' +
        'else did, or somebody stands between you and the registry, or the digest in the ' +
        'lockfile was edited. A cluster that installs it gets what nobody here has looked at.',
    ),
    `hint: look at what it is now with \`xpkg-resolve inspect ${repository}:${version}\``,
    `hint: to take it, \`xpkg-resolve update ${repository}@${version} --accept-moved\`, and review the lockfile`,
    'hint: to install what was locked, as long as a registry has it, `xpkg-resolve render --pin locked` (Crossplane v1.20 and newer) or `--pin digest`',
  ];
}

export function editedLockAlert(lockfile: string): string[] {
  return [
    ...security(
      `\`${lockfile}\` says of a package what the package does not say, or leaves out a digest ` +
        'that its source has. The lockfile was edited or damaged, or was written for other bytes.',
    ),
    `hint: restore \`${lockfile}\` from version control, or run \`xpkg-resolve resolve\` and review what changes`,
  ];
}

export function corruptBytesAlert(): string[] {
  return security(
    'bytes are not what their digest says: damaged where they are kept or on the way, or ' +
      'replaced. They were not used.',
  );
}
