import { connect, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** One address for any number of workers, as a cluster gives them. */
export interface Balancer {
  readonly address: string;
  /** Ports of the workers; those that do not answer are left out. */
  readonly ports: Set<number>;
}

/** Connections go to the workers in turn. It ends with the test. */
export async function startBalancer(): Promise<Balancer> {
  const ports = new Set<number>();
  let next = 0;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    const attempt = (left: readonly number[]): void => {
      const [port, ...others] = left;
      if (port === undefined) {
        client.destroy();
        return;
      }
      const worker = connect(port, '127.0.0.1');
      worker.once('error', () => attempt(others));
      worker.once('connect', () => {
        worker.removeAllListeners('error');
        worker.on('error', () => undefined);
        client.pipe(worker).pipe(client);
        client.once('close', () => worker.destroy());
        worker.once('close', () => client.destroy());
      });
    };
    const all = [...ports];
    next += 1;
    attempt([...all.slice(next % Math.max(all.length, 1)), ...all.slice(0, next % Math.max(all.length, 1))]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A port was expected.');
  return { address: `http://127.0.0.1:${address.port}`, ports };
}
