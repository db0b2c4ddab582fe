import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Between a client and a server on this machine: passes bytes on, until it is asked to do something else. */
export interface TcpProxy {
  readonly port: number;
  /** From now on it swallows what either side sends, and connections stay open. */
  cut(): void;
  /** Passes on what comes from now on; what it has swallowed is lost. */
  mend(): void;
  /** Once the server answers after the client has sent this text, both connections are broken, and the answer is lost. */
  loseAnswerTo(text: string): void;
}

/** Starts one, which ends with the test. */
export async function startProxy(port: number): Promise<TcpProxy> {
  let isCut = false;
  let awaited: string | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    let isAsked = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.on('data', (bytes) => {
      if (isCut) return;
      if (awaited !== undefined && bytes.includes(awaited)) isAsked = true;
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (isCut) return;
      if (!isAsked) return void client.write(bytes);
      awaited = undefined;
      client.destroy();
      upstream.destroy();
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A port was expected.');
  return {
    port: address.port,
    cut: () => {
      isCut = true;
    },
    mend: () => {
      isCut = false;
    },
    loseAnswerTo: (text) => {
      awaited = text;
    },
  };
}
