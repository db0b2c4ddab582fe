import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';

const args = ['node_modules/next/dist/bin/next', 'start', '--hostname', '127.0.0.1', '--port', '0'];
const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const address = await new Promise((resolve, reject) => {
    let output = '';
    server.stdout.on('data', (data) => {
      output += data;
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
    server.on('exit', () => reject(new Error(output)));
  });
  const expected = 'Sold. 6 pears are left.';
  for (const route of ['node', 'edge']) {
    const response = await fetch(`${address}/${route}`);
    assert.deepEqual(await response.json(), { answer: expected }, route);
  }
  assert.match(await (await fetch(address)).text(), new RegExp(expected));
} finally {
  server.kill();
}
