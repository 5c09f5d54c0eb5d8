import { InputError } from '../../../model/input-error.js';
import type { GivenKey, SignatureTrust } from '../../../signatures/trust.js';
import type { ArgsOf, Flags } from '../../command.js';
import type { Io } from '../../io/io.js';

/** What signatures are checked with. */
export const signatureTrustFlags = {
  'public-key': {
    type: 'string',
    array: true,
    nargs: 1,
    describe:
      'File with Secrets that hold public keys of signers, or SECRET=FILE or SECRET/KEY=FILE for a key in PEM; repeat it for more',
  },
  'trusted-root': {
    type: 'string',
    requiresArg: true,
    describe:
      'File with the authorities and logs of Sigstore (`trusted_root.json`): for signers without a known key, and to hold all signatures to their log',
  },
} as const satisfies Flags;

/** For commands that choose versions. */
export const requireSignaturesFlags = {
  'require-signatures': {
    type: 'boolean',
    default: false,
    describe: 'Choose no version that the policy of an ImageConfig refuses (`spec.verification`)',
  },
  ...signatureTrustFlags,
} as const satisfies Flags;

export type SignatureTrustArgs = ArgsOf<typeof signatureTrustFlags>;

/** A key in PEM and the Secret that it stands for; the field may be left out. */
const NAMED_KEY = /^(?<secret>[a-z0-9][a-z0-9.-]*)(?:\/(?<field>[-._a-zA-Z0-9]+))?=(?<file>.+)$/;

export async function signatureTrust(
  { publicKey = [], trustedRoot }: SignatureTrustArgs,
  io: Pick<Io, 'cwd'>,
): Promise<SignatureTrust> {
  const { readText } = await import('../../../inputs/input-files.js');
  const { trustedRootFrom } = await import('../../../signatures/trust.js');
  const keys = await Promise.all(publicKey.map((given) => keysIn(given, io.cwd)));
  const root =
    trustedRoot === undefined
      ? undefined
      : trustedRootFrom(await readText(trustedRoot, io.cwd), trustedRoot);
  return { keys: keys.flat(), root };
}

async function keysIn(given: string, cwd: string): Promise<readonly GivenKey[]> {
  const { readText } = await import('../../../inputs/input-files.js');
  const { isPublicKeyText, publicKeyFrom } = await import('../../../signatures/trust.js');
  const { secret, field, file } = NAMED_KEY.exec(given)?.groups ?? {};
  if (secret !== undefined && file !== undefined) {
    return [{ secret, field, key: publicKeyFrom(await readText(file, cwd), file) }];
  }
  const text = await readText(given, cwd);
  if (isPublicKeyText(text)) {
    throw new InputError('nothing says which Secret this public key stands for', {
      origin: { file: given },
      hint: `give \`--public-key SECRET=${given}\`, with the name that the ImageConfig has in \`secretRef\``,
    });
  }
  const { readSecretFields } = await import('../../../inputs/documents/key-secret.js');
  const fields = readSecretFields(text, given).filter((each) => isPublicKeyText(each.text));
  if (fields.length === 0) {
    throw new InputError('no Secret with a public key is in it', {
      origin: { file: given },
      hint: 'it takes Secrets, as the cluster has them, or `SECRET=FILE` for a key in PEM',
    });
  }
  return fields.map((each) => ({
    secret: each.secret,
    field: each.field,
    key: publicKeyFrom(each.text, given),
  }));
}
