import { send, type Fault } from './registry.js';

/** Applies a fault only to requests whose path contains `part`, and only to the first `times`. */
export function on(part: string, fault: Fault, times = Infinity): Fault {
  let left = times;
  return (request, response, registry) => {
    if (!request.path.includes(part) || left <= 0) return false;
    left -= 1;
    return fault(request, response, registry);
  };
}

/** Answers with a status and no body. */
export function status(code: number, headers: Readonly<Record<string, string>> = {}): Fault {
  return (_request, response) => {
    response.writeHead(code, { ...headers, 'Content-Length': 0 }).end();
    return true;
  };
}

/** Announces the length of `bytes`, sends the first `length` bytes and disconnects. */
export function truncated(
  bytes: Uint8Array,
  length: number,
  headers: Readonly<Record<string, string>> = {},
): Fault {
  return (_request, response) => {
    response.writeHead(200, { ...headers, 'Content-Length': bytes.length });
    response.write(bytes.subarray(0, length), () => response.destroy());
    return true;
  };
}

/** Sends all of `bytes` and disconnects before the end of the chunked body. */
export function unended(bytes: Uint8Array, etag = '"x"'): Fault {
  return (_request, response) => {
    response.writeHead(200, { ETag: etag, 'Transfer-Encoding': 'chunked' });
    response.write(bytes, () => response.destroy());
    return true;
  };
}

/** Sends the first `length` bytes as if they were complete. */
export function cutShort(bytes: Uint8Array, length: number): Fault {
  return (_request, response) => {
    send(response, 200, bytes.subarray(0, length));
    return true;
  };
}

/** Sends other bytes than requested. */
export function instead(
  bytes: Uint8Array | string,
  headers: Readonly<Record<string, string>> = {},
): Fault {
  return (_request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    send(response, 200, bytes);
    return true;
  };
}

/** Sends data without a length until the client disconnects. */
export function endless(chunk: Uint8Array): Fault {
  return (_request, response) => {
    response.writeHead(200);
    const more = () => {
      if (response.destroyed) return;
      response.write(chunk, () => setImmediate(more));
    };
    more();
    return true;
  };
}

/** Starts a response and sends headers until the client disconnects. */
export const dripping: Fault = (_request, response) => {
  const { socket } = response;
  socket?.write('HTTP/1.1 200 OK\r\n');
  const drip = setInterval(() => socket?.write('X-More: y\r\n'), 20);
  socket?.on('close', () => clearInterval(drip)).on('error', () => undefined);
  return true;
};

/** Sends preliminary responses until the client disconnects. */
export const earlyHints: Fault = (_request, { socket }) => {
  const drip = setInterval(() => socket?.write('HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n'), 5);
  socket?.on('close', () => clearInterval(drip)).on('error', () => undefined);
  return true;
};

/** Answers at once, and sends the body byte by byte until the client disconnects. */
export function drippingBody(code: number, headers: Readonly<Record<string, string>> = {}): Fault {
  return (_request, response) => {
    response.writeHead(code, headers).flushHeaders();
    const drip = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(drip));
    return true;
  };
}

/** Resets the connection. */
export const reset: Fault = (_request, response) => {
  response.socket?.resetAndDestroy();
  return true;
};

/** Sends the headers and a few bytes, then nothing. */
export function stalled(bytes: Uint8Array, length: number): Fault {
  return (_request, response) => {
    response.writeHead(200, { 'Content-Length': bytes.length });
    response.write(bytes.subarray(0, length));
    return true;
  };
}

export function redirectTo(location: string | ((path: string) => string)): Fault {
  return (request, response, registry) =>
    status(307, { Location: typeof location === 'string' ? location : location(request.path) })(
      request,
      response,
      registry,
    );
}

/** Answers correctly after a delay. */
export function late(milliseconds: number): Fault {
  return (request, response, registry) => {
    setTimeout(() => registry.answer(request, response), milliseconds);
    return true;
  };
}
