export { aiSdkHostedToolCodecs, hostedToolCodecsOf } from './codecs.ts';
