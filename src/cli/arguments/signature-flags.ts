import { switchFlag } from './common-flags.js';
import { InputError } from '../../base/errors.js';
import type { GivenKey, SignatureTrust } from '../../oci/signatures/trust.js';
import type { ArgsOf, Flags } from '../kit/command.js';
import type { RunIo } from '../terminal/io.js';

/** Keys and trusted roots for signature checks. */
export const signatureTrustFlags = {
  'public-key': {
    array: true,
    describe:
      'File with Secrets that hold public keys of signers, or SECRET=FILE or SECRET/KEY=FILE for a key in PEM; repeat it for more',
  },
  'trusted-root': {
    describe:
      'File with the authorities and logs of Sigstore (`trusted_root.json`): for signers without a known key, and to hold all signatures to their log',
  },
} as const satisfies Flags;

/** For commands that choose versions. */
export const requireSignaturesFlags = {
  'require-signatures': switchFlag(
    'Choose no version that the policy of an ImageConfig refuses (`spec.verification`)',
  ),
  ...signatureTrustFlags,
} as const satisfies Flags;

export type SignatureTrustArgs = ArgsOf<typeof signatureTrustFlags>;

/** A public key (PEM) and the Secret that has it in the cluster; the field of the Secret may be omitted. */
const NAMED_KEY = /^(?<secret>[a-z0-9][a-z0-9.-]*)(?:\/(?<field>[-._a-zA-Z0-9]+))?=(?<file>.+)$/;

export async function signatureTrust(
  { publicKey = [], trustedRoot }: SignatureTrustArgs,
  io: Pick<RunIo, 'cwd'>,
): Promise<SignatureTrust> {
  const { readText } = await import('../../project/inputs/input-files.js');
  const { parseTrustedRoot } = await import('../../oci/signatures/trust.js');
  const keys = await Promise.all(publicKey.map((given) => keysIn(given, io.cwd)));
  const root =
    trustedRoot === undefined
      ? undefined
      : parseTrustedRoot(await readText(trustedRoot, io.cwd), trustedRoot);
  return { keys: keys.flat(), root };
}

async function keysIn(given: string, cwd: string): Promise<readonly GivenKey[]> {
  const { readText } = await import('../../project/inputs/input-files.js');
  const { isPublicKeyText, parsePublicKey } = await import('../../oci/signatures/trust.js');
  const { secret, field, file } = NAMED_KEY.exec(given)?.groups ?? {};
  if (secret !== undefined && file !== undefined) {
    return [{ secret, field, key: parsePublicKey(await readText(file, cwd), file) }];
  }
  const text = await readText(given, cwd);
  if (isPublicKeyText(text)) {
    throw new InputError('nothing says which Secret this public key stands for', {
      origin: { file: given },
      hint: `give \`--public-key SECRET=${given}\`, with the name that the ImageConfig has in \`secretRef\``,
    });
  }
  const { readSecretFields } = await import('../../project/inputs/secrets.js');
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
    key: parsePublicKey(each.text, given),
  }));
}
