import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ForwardProxy {
  readonly port: number;
  /** Requests that were sent to the proxy, without tunnels. */
  readonly asked: { readonly url: string; readonly authorization: string | undefined }[];
  stop(): Promise<void>;
}

/** A plain HTTP proxy that resolves every host to loopback, or answers with a status only. */
export async function startForwardProxy(status?: number): Promise<ForwardProxy> {
  const asked: ForwardProxy['asked'] = [];
  const server = createServer((incoming, response) => {
    const authorization = incoming.headers['proxy-authorization'];
    asked.push({ url: incoming.url ?? '', authorization });
    if (status !== undefined) return void response.writeHead(status).end();
    const { pathname, search, port } = new URL(incoming.url ?? '');
    const onward = request({ host: '127.0.0.1', port, path: `${pathname}${search}` }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy()).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // A listening TCP server has an AddressInfo.
    port: (server.address() as AddressInfo).port,
    asked,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
