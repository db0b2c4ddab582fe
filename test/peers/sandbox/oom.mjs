import { MemoryFilesystem } from 'weakincentives';
import { virtualSandbox } from 'weakincentives/sandbox';
for (let i = 0; i < 40; i++) {
  const s = await virtualSandbox({ limits: { maxMemoryBytes: 100_000_000 } }).start({ filesystem: new MemoryFilesystem({}) });
  const r = await s.exec({ command: 'x=aaaaaaaaaaaaaaaa; while :; do x="$x$x"; done', timeoutMs: 20000 });
  if (i < 3) console.log(r.exitCode, r.timedOut, r.stderr.text.slice(0, 150));
  await s[Symbol.asyncDispose]();
}
console.log('all');
