import { secretObjects, secretValues } from './secret-file.js';

/** A value of a Secret, as a file holds it. */
export interface SecretField {
  readonly secret: string;
  readonly field: string;
  readonly text: string;
}

/** Every value of every Secret in a YAML or JSON file; no message repeats what it says. */
export function readSecretFields(text: string, file: string): readonly SecretField[] {
  const secrets = secretObjects(text, file).filter(({ kind }) => kind === 'Secret');
  return secrets.flatMap((object) => {
    const { name: secret = '', values } = secretValues(object);
    return [...values].map(([field, value]) => ({ secret, field, text: value }));
  });
}
