export { isOpen, type Week, weekOf } from './week.ts';
