// The reading part of pdf.js. As a part of the build its syntax fits the oldest engines (docs/browsers.md).
import './pdf-functions.ts'
import 'pdfjs-dist/legacy/build/pdf.worker.min.mjs'
