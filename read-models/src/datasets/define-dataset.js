export {};
//# sourceMappingURL=define-dataset.js.map
