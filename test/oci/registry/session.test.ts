import { expect, test } from 'vitest';
import { anonymous, withRegistry } from '../../support/registry/client.js';

test('an invalid host is rejected without a request', async () => {
  await withRegistry({}, async ({ client, trace }) => {
    const name = { host: '127.0.0.1:99999', path: 'a/p', plainHttp: true };
    await expect(client.repository({ ...name, credentials: anonymous }).tags()).rejects.toThrow(
      '127.0.0.1:99999/a/p: no registry can be at `127.0.0.1:99999`',
    );
    expect(trace).toEqual([]);
  });
});
