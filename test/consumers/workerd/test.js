import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import workerd from 'workerd';

const args = ['serve', 'config.capnp', '--control-fd=3'];
const server = spawn(workerd.default, args, { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
try {
  const port = await new Promise((resolve, reject) => {
    createInterface({ input: server.stdio[3] }).on('line', (line) => {
      const { event, port: found } = JSON.parse(line);
      if (event === 'listen') resolve(found);
    });
    server.on('error', reject);
    server.on('exit', (code) => reject(new Error(`workerd has ended with ${code}`)));
  });
  const response = await fetch(`http://127.0.0.1:${port}`);
  assert.equal(await response.text(), 'Sold. 6 pears are left.');
} finally {
  server.kill();
}
