import { readFileSync } from 'node:fs';
import { argv, exit } from 'node:process';
import type { Life } from '../life.ts';
import { live } from './live.ts';

// Started as a process of its own by `durableConformance`, with the path of a file that describes the life. What the parent writes is a Life.
const life = JSON.parse(readFileSync(argv[2] ?? '', 'utf8')) as Life;
exit(await live(life));
