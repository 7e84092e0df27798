export { type StatusList, statusList } from './status-list.ts';
export { type Watched, watched } from './watched.ts';
