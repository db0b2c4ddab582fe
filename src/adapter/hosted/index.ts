export { refuseHostedChoice } from './hosted-choice.ts';
export type {
  HostedToolCodec,
  HostedToolCodecs,
  HostedToolFindings,
  HostedToolWire,
  HostedTurn,
} from './hosted-tool-codec.ts';
export { HostedToolDesk, type HostedToolsWire, type UnsupportedConfig } from './hosted-tool-desk.ts';
