import { gzipSync } from 'node:zlib';
import {
  cutShort,
  dripping,
  drippingBody,
  earlyHints,
  instead,
  redirectTo,
  reset,
  status,
  truncated,
} from './faults.js';
import { send, type Fault } from './registry.js';

const PAGE = Buffer.from('<html><title>Sign in</title></html>');
const LIST = '{"name":"a/provider","tags":["v1.0.0"]}';

/** Faults that a registry or an intermediary can cause in one request. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  'an empty answer': instead(''),
  'an empty object': instead('{}'),
  'an index of nothing': instead('{"schemaVersion":2,"manifests":[]}'),
  'a list of nothing in particular': instead('[]'),
  'JSON and more behind it': instead(`${LIST}${LIST}`),
  'JSON in UTF-16': instead(Buffer.from(LIST, 'utf16le')),
  'JSON nested without end': instead('[{"tags":'.repeat(20_000)),
  'tags that are none': instead('{"tags":{"v1.0.0":true}}'),
  'tags that are numbers': instead('{"tags":[1,2]}'),
  'tags of another repository': instead('{"name":"a/other","tags":["v1.0.0"]}'),
  'a web page': instead(PAGE, { 'Content-Type': 'text/html' }),
  'errors, with success': instead('{"errors":[{"code":"DENIED"}]}'),
  'a web page, not found': page(404),
  'a web page, forbidden': page(403),
  'not found, and no word': status(404),
  'no content': status(204),
  'a part, as if it had been asked for': status(206),
  'a part of it': partial,
  'several choices': status(300),
  'not modified, unasked': status(304),
  'a bad request': status(400),
  unauthorized: status(401),
  'unauthorized, as an answer to every token': challenge('Bearer realm="REALM"'),
  'a token server elsewhere': challenge('Bearer realm="https://elsewhere.example.org/token"'),
  'a token server in the network': challenge('Bearer realm="http://169.254.169.254/token"'),
  'a password wanted': challenge('Basic realm="x"'),
  'a challenge that is none': challenge('Bearer realm="'),
  'a proxy that wants credentials': status(407),
  gone: status(410),
  'a range that is not there': status(416),
  'too many requests': status(429),
  'too many requests, for a year': status(429, { 'Retry-After': '31536000' }),
  'too many requests, until nonsense': status(429, { 'Retry-After': 'soon, -1' }),
  'a failure': status(500),
  'a method unknown to it': status(501),
  'a failure behind a gateway': status(502),
  'a redirect to a page': redirectTo('/v2/a/page'),
  'a redirect to a page that says it is no registry': redirectTo('/elsewhere'),
  'a redirect in a circle': redirectTo((path) => path),
  'a redirect to nowhere': status(307),
  'a redirect to what is no URL': redirectTo('http://['),
  'a redirect to a file': redirectTo('file:///etc/passwd'),
  'a redirect into the network': redirectTo('http://169.254.169.254/latest/meta-data'),
  'a link that is none': linked('next please'),
  'a link to elsewhere': linked('<https://elsewhere.example.org/v2/>; rel="next"'),
  'a link to another repository': linked('</v2/a/other/tags/list>; rel="next"'),
  'a link to itself': (request, ...rest) =>
    linked(`<${request.path}>; rel="next"`)(request, ...rest),
  'a link to a page that is not there': linked('<?n=1&last=gone>; rel="next", </gone>; rel=next'),
  'another digest': digested(`sha256:${'0'.repeat(64)}`),
  'a digest of another kind': digested('md5:d41d8cd98f00b204e9800998ecf8427e'),
  'two digests': digested([`sha256:${'0'.repeat(64)}`, `sha256:${'1'.repeat(64)}`]),
  'other bytes of the same length': rewritten((bytes) => bytes.fill(0x20, 1, bytes.length - 1)),
  'a byte less': rewritten((bytes) => bytes.subarray(0, -1)),
  'a byte more': rewritten((bytes) => Buffer.concat([bytes, Buffer.from(' \0')])),
  'packed bytes': rewritten((bytes) => gzipSync(bytes), { 'Content-Encoding': 'gzip' }),
  'bytes that are said to be packed': rewritten(
    (bytes) => Buffer.concat([bytes, Buffer.from([0])]),
    { 'Content-Encoding': 'gzip' },
  ),
  'a reset connection': reset,
  'a connection reset among headers': raw('HTTP/1.1 200 OK\r\nContent-Le', 'reset'),
  'a connection reset half way': raw(`HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{`, 'reset'),
  'half of it': truncated(PAGE, 10),
  'half of it, as if it were all': cutShort(Buffer.from(LIST), 20),
  'half of it, by an old protocol': raw(`HTTP/1.0 200 OK\r\n\r\n${LIST.slice(0, 20)}`, 'end'),
  'another list behind it': raw(
    `${head(LIST.length)}${LIST}${head(LIST.length)}${LIST}`.replace(
      LIST,
      '{}'.padEnd(LIST.length),
    ),
    'keep',
  ),
  'chunks of no size': raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}', 'end'),
  'two lengths': raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 40\r\n\r\n{}', 'end'),
  'a length and chunks': raw(
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    'end',
  ),
  'a negative length': raw('HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}', 'end'),
  'no HTTP': raw('SSH-2.0-OpenSSH_9.9\r\n', 'end'),
  'another protocol': raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n', 'end'),
  'endless headers': raw(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(300_000)}\r\n\r\n{}`, 'end'),
  'many headers': raw(`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(50_000)}\r\n{}`, 'end'),
  'many answers before the answer': raw(
    `${'HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n'.repeat(5_000)}${head(2)}{}`,
    'end',
  ),
};

/** Faults that delay a request; without a time limit they would take minutes. */
export const STALLING_FAULTS: Readonly<Record<string, Fault>> = {
  silence: () => true,
  'headers that drip': dripping,
  'a body that drips': drippingBody(200),
  'a failure that drips': drippingBody(500),
  'a refusal that drips': drippingBody(404),
  'a body that stops': raw(`HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{`, 'keep'),
  'answers before the answer, for ever': earlyHints,
};

function head(length: number): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

/** Writes raw bytes to the connection and then keeps, ends or resets it. */
function raw(bytes: string, then: 'keep' | 'end' | 'reset'): Fault {
  return (_request, { socket }) => {
    socket?.on('error', () => undefined);
    if (then === 'end') socket?.end(bytes);
    else socket?.write(bytes, () => then === 'reset' && socket.resetAndDestroy());
    return true;
  };
}

function page(code: number): Fault {
  return (_request, response) => {
    send(response, code, PAGE);
    return true;
  };
}

function challenge(header: string): Fault {
  return (request, response, registry) => {
    const realm = `http://${registry.host}/token`;
    response.setHeader('WWW-Authenticate', header.replace('REALM', realm));
    return status(401)(request, response, registry);
  };
}

/** Answers correctly with another `Link` header. */
function linked(link: string): Fault {
  return (request, response, registry) => {
    response.setHeader('Link', link);
    registry.answer(request, response);
    return true;
  };
}

function digested(value: string | readonly string[]): Fault {
  return (request, response, registry) => {
    const setHeader = response.setHeader.bind(response);
    response.setHeader = (name, own) =>
      name === 'Docker-Content-Digest' ? response : setHeader(name, own);
    setHeader('Docker-Content-Digest', value);
    registry.answer(request, response);
    return true;
  };
}

/** Answers with other bytes and the matching length. */
function rewritten(
  change: (bytes: Buffer) => Buffer,
  headers: Readonly<Record<string, string>> = {},
): Fault {
  return (request, response, registry) => {
    const writeHead = response.writeHead.bind(response);
    const end = response.end.bind(response);
    let code = 200;
    response.writeHead = (status: number) => {
      code = status;
      return response;
    };
    response.end = ((body: Uint8Array | string) => {
      Object.assign(response, { writeHead, end });
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      const changed = change(Buffer.from(body as string));
      send(response, response.statusCode === 206 ? 206 : code, changed);
      return response;
    }) as typeof response.end;
    registry.answer(request, response);
    return true;
  };
}

/** Sends a third of the response, with the headers of a range. */
function partial(...[request, response, registry]: Parameters<Fault>): boolean {
  return rewritten((bytes) => {
    response.statusCode = 206;
    const third = Math.ceil(bytes.length / 3);
    response.setHeader('Content-Range', `bytes 0-${third - 1}/${bytes.length}`);
    return bytes.subarray(0, third);
  })(request, response, registry);
}
